package views

import (
	"slices"
	"strconv"
	"strings"
	"time"
)

// ChartDay is one day of a chart.
type ChartDay struct {
	Day                                        time.Time
	Requests, AI, Real, Uncertain, Unavailable int64
}

// verdicts is how many checks came to a verdict.
func (d ChartDay) verdicts() int64 { return d.AI + d.Real + d.Uncertain + d.Unavailable }

// Chart is verdicts as stacked bars and requests as a line over them, a day beside the other.
type Chart struct {
	// ID tells the parts of one page's charts apart.
	ID, Title string
	Days      []ChartDay
}

// The drawing, in units of its view box: small enough that its words stay readable on a phone.
const (
	chartWidth  = 400.0
	chartHeight = 190.0
	chartLeft   = 34.0
	chartRight  = 396.0
	chartTop    = 10.0
	chartBottom = 166.0
	// chartGap is between the parts of a bar.
	chartGap = 0.8
)

// chartKind is one part of a bar. Kinds differ by a pattern as well as by colour (WCAG 2.2, 1.4.1).
type chartKind struct {
	name, label string
	of          func(ChartDay) int64
}

var chartKinds = []chartKind{
	{"ai", "AI-generated", func(d ChartDay) int64 { return d.AI }},
	{"real", "Real", func(d ChartDay) int64 { return d.Real }},
	{"uncertain", "Uncertain", func(d ChartDay) int64 { return d.Uncertain }},
	{"unavailable", "Unavailable", func(d ChartDay) int64 { return d.Unavailable }},
}

// chartTicks is how many steps the scale has at most.
const chartTicks = 4

// scale is the distance between two lines of the grid and the value at the top: whole numbers of 1, 2 or 5 and zeros.
func (c Chart) scale() (step, top int64) {
	var most int64 = 1
	for _, d := range c.Days {
		most = max(most, d.Requests, d.verdicts())
	}
	step = 1
	for factor := int64(0); step*chartTicks < most; factor++ {
		if factor%3 == 1 {
			step = step / 2 * 5
		} else {
			step *= 2
		}
	}
	return step, (most + step - 1) / step * step
}

func chartNumber(v float64) string {
	return strings.TrimSuffix(strconv.FormatFloat(v, 'f', 1, 64), ".0")
}

// y is the height of a value.
func (c Chart) y(value, top int64) float64 {
	return chartBottom - (chartBottom-chartTop)*float64(value)/float64(top)
}

// slot is the width of a day.
func (c Chart) slot() float64 { return (chartRight - chartLeft) / float64(max(len(c.Days), 1)) }

// chartBar is a part of a bar, ready to draw.
type chartBar struct{ kind, x, y, width, height string }

// bars are the parts of all bars, each on top of the other.
func (c Chart) bars() []chartBar {
	_, top := c.scale()
	width := c.slot() * 0.7
	var bars []chartBar
	for i, d := range c.Days {
		var below int64
		x := chartLeft + c.slot()*float64(i) + (c.slot()-width)/2
		for _, kind := range chartKinds {
			n := kind.of(d)
			if n == 0 {
				continue
			}
			from, to := c.y(below, top), c.y(below+n, top)
			bars = append(bars, chartBar{
				kind: kind.name, x: chartNumber(x), y: chartNumber(to), width: chartNumber(width),
				height: chartNumber(max(from-to-chartGap, chartGap)),
			})
			below += n
		}
	}
	return bars
}

// line is the way of the requests over the days, as a polyline has its points.
func (c Chart) line() string {
	_, top := c.scale()
	var points []string
	for i, d := range c.Days {
		x := chartLeft + c.slot()*(float64(i)+0.5)
		points = append(points, chartNumber(x)+","+chartNumber(c.y(d.Requests, top)))
	}
	return strings.Join(points, " ")
}

// chartTick is a mark of an axis.
type chartTick struct{ at, label string }

// ticks are the lines of the grid.
func (c Chart) ticks() []chartTick {
	step, top := c.scale()
	var ticks []chartTick
	for v := int64(0); v <= top; v += step {
		ticks = append(ticks, chartTick{at: chartNumber(c.y(v, top)), label: short(v)})
	}
	return ticks
}

// short writes a round number in little room: 2.5k, 3M.
func short(n int64) string {
	switch {
	case n >= 1_000_000:
		return chartNumber(float64(n)/1_000_000) + "M"
	case n >= 1_000:
		return chartNumber(float64(n)/1_000) + "k"
	}
	return strconv.FormatInt(n, 10)
}

// dates are the days that have their name below: the last one and every week before it.
func (c Chart) dates() []chartTick {
	var dates []chartTick
	for i, d := range c.Days {
		if (len(c.Days)-1-i)%7 == 0 {
			dates = append(dates, chartTick{
				at: chartNumber(chartLeft + c.slot()*(float64(i)+0.5)), label: d.Day.UTC().Format("2 Jan"),
			})
		}
	}
	return dates
}

// description says in words what the drawing shows, for those who do not see it.
func (c Chart) description() string {
	if len(c.Days) == 0 {
		return "No days."
	}
	var sum, busiest ChartDay
	for _, d := range c.Days {
		sum.Requests += d.Requests
		sum.AI, sum.Real = sum.AI+d.AI, sum.Real+d.Real
		sum.Uncertain, sum.Unavailable = sum.Uncertain+d.Uncertain, sum.Unavailable+d.Unavailable
		if d.Requests >= busiest.Requests {
			busiest = d
		}
	}
	return "From " + chartDate(c.Days[0].Day) + " to " + chartDate(c.Days[len(c.Days)-1].Day) + ": " +
		numbered(sum.Requests, "request") + "; " + numbered(sum.verdicts(), "verdict") + ", of which " +
		Count(sum.AI) + " AI-generated, " + Count(sum.Real) + " real, " + Count(sum.Uncertain) + " uncertain and " +
		Count(sum.Unavailable) + " unavailable. The busiest day was " + chartDate(busiest.Day) + " with " +
		numbered(busiest.Requests, "request") + ". The table has every figure."
}

// numbered is a count with what is counted, in its plural unless there is one.
func numbered(n int64, what string) string {
	if n != 1 {
		what += "s"
	}
	return Count(n) + " " + what
}

func chartDate(t time.Time) string { return t.UTC().Format("2 January 2006") }

// newestFirst are the days as the table beside the chart lists them.
func (c Chart) newestFirst() []ChartDay {
	days := slices.Clone(c.Days)
	slices.Reverse(days)
	return days
}
