package main

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"veracity/platform/measure"
)

// The drawing of a square chart of shares, in units of its view box.
const (
	plotLeft, plotTop   = 40.0, 10.0
	plotSide            = 260.0
	plotWidth           = plotLeft + plotSide + 22
	plotHeight          = plotTop + plotSide + 40
	plotBottom          = plotTop + plotSide
	plotRight           = plotLeft + plotSide
	leastLog            = -3.0 // 0.1 %, where the logarithmic axis begins
	curveGrain          = 0.7  // Two points of a curve nearer than that are one.
	tickRoom, labelRoom = 16.0, 33.0
)

// chart is a square drawing of shares against shares.
type chart struct {
	ID, Title, Text string
	XLabel, YLabel  string
	XTicks, YTicks  []tick
	// Chance is the line that scores which tell nothing, or probabilities that are right, would follow.
	Chance string
	Curves []curve
}

// tick is a line of the grid and its label.
type tick struct{ At, Label string }

// curve is one variant's line; Style tells lines apart by colour and dashes, Marks are points with their intervals.
type curve struct {
	Name, Points string
	Style        int
	Marks        []mark
}

// mark is a point with the interval of its height.
type mark struct{ X, Y, Low, High string }

// Width and its like are for the page.
func (chart) Box() string      { return "0 0 " + unit(plotWidth) + " " + unit(plotHeight) }
func (chart) Left() string     { return unit(plotLeft) }
func (chart) Right() string    { return unit(plotRight) }
func (chart) Top() string      { return unit(plotTop) }
func (chart) Bottom() string   { return unit(plotBottom) }
func (chart) TickY() string    { return unit(plotBottom + tickRoom) }
func (chart) TickX() string    { return unit(plotLeft - 6) }
func (chart) MiddleX() string  { return unit(plotLeft + plotSide/2) }
func (chart) MiddleY() string  { return unit(plotTop + plotSide/2) }
func (chart) XLabelAt() string { return unit(plotBottom + labelRoom) }

// unit writes a length of the view box.
func unit(v float64) string { return strings.TrimSuffix(strconv.FormatFloat(v, 'f', 1, 64), ".0") }

func linear(share float64) float64 { return plotLeft + plotSide*share }

// logarithmic spreads small shares out.
func logarithmic(share float64) float64 {
	return plotLeft + plotSide*(1-math.Max(math.Log10(math.Max(share, 1e-9)), leastLog)/leastLog)
}

func height(share float64) float64 { return plotBottom - plotSide*share }

func ticks(at func(float64) float64, shares ...float64) []tick {
	list := make([]tick, len(shares))
	for i, s := range shares {
		list[i] = tick{unit(at(s)), strconv.FormatFloat(100*s, 'g', -1, 64) + " %"}
	}
	return list
}

var fifths = []float64{0, 0.2, 0.4, 0.6, 0.8, 1}

// rocChart has the curves of all variants.
func rocChart(e evaluation) chart {
	c := chart{
		ID: "roc", Title: "Receiver operating characteristic",
		Text:   "How much AI is found at each rate of false positives. The dashed line is chance.",
		XLabel: "real taken for AI", YLabel: "AI found", XTicks: ticks(linear, fifths...), YTicks: ticks(height, fifths...),
	}
	c.Chance = steps([][2]float64{{0, 0}, {1, 1}}, linear)
	return c.with(e, linear)
}

// lowChart is the same where false positives are rare, which is where the lane works.
func lowChart(e evaluation) chart {
	c := chart{
		ID: "low", Title: "Where false positives are rare",
		Text:   "The same curves with a logarithmic scale: at 1 % lies the most that the lane may call AI by mistake.",
		XLabel: "real taken for AI", YLabel: "AI found", XTicks: ticks(logarithmic, 0.001, 0.01, 0.05, 0.2, 1), YTicks: ticks(height, fifths...),
	}
	var chance [][2]float64
	for s := leastLog; s <= 0; s += 0.05 {
		chance = append(chance, [2]float64{math.Pow(10, s), math.Pow(10, s)})
	}
	c.Chance = steps(append(chance, [2]float64{1, 1}), logarithmic)
	return c.with(e, logarithmic)
}

func (c chart) with(e evaluation, x func(float64) float64) chart {
	for i, v := range e.Variants {
		if len(v.ROC) > 0 {
			c.Curves = append(c.Curves, curve{Name: v.Variant, Style: i, Points: steps(v.ROC, x)})
		}
	}
	return c
}

// steps draws through points, leaving out those too near to the last one to be seen.
func steps(points [][2]float64, x func(float64) float64) string {
	var b strings.Builder
	lastX, lastY := math.Inf(-1), math.Inf(-1)
	for i, p := range points {
		px, py := x(p[0]), height(p[1])
		if i > 0 && i < len(points)-1 && math.Hypot(px-lastX, py-lastY) < curveGrain {
			continue
		}
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(unit(px) + "," + unit(py))
		lastX, lastY = px, py
	}
	return b.String()
}

// reliabilityChart holds probabilities against what came true; intervals are drawn for the first variant alone.
func reliabilityChart(e evaluation) chart {
	c := chart{
		ID: "reliability", Title: "Reliability",
		Text:   "How often files of a probability were AI, both kinds weighing the same. On the dashed line probabilities are right; bars are intervals of the first variant.",
		XLabel: "probability told", YLabel: "share that is AI", XTicks: ticks(linear, fifths...), YTicks: ticks(height, fifths...),
	}
	c.Chance = steps([][2]float64{{0, 0}, {1, 1}}, linear)
	for i, v := range e.Variants {
		if v.Reliability == nil {
			continue
		}
		line := curve{Name: v.Variant, Style: i}
		var points [][2]float64
		for _, bin := range v.Reliability.Bins {
			points = append(points, [2]float64{bin.Mean, bin.Share.Value})
			if len(c.Curves) == 0 {
				line.Marks = append(line.Marks, markOf(bin))
			}
		}
		line.Points = steps(points, linear)
		c.Curves = append(c.Curves, line)
	}
	return c
}

func markOf(b measure.Bin) mark {
	return mark{unit(linear(b.Mean)), unit(height(b.Share.Value)), unit(height(b.Share.Low)), unit(height(b.Share.High))}
}

// Class is how a curve looks.
func (c curve) Class() string { return fmt.Sprintf("curve style-%d", c.Style%curveStyles) }

// curveStyles is how many looks of curves the page knows.
const curveStyles = 4
