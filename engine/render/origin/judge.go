package origin

import (
	"bytes"

	"veracity/engine/probe"
	"veracity/engine/provenance"
)

// maxJudged bounds what is put before provenance piece by piece, in bytes: a second of work. Generators' records have
// some kilobytes, and are asked about a few times each.
const (
	maxJudged = 32 << 20
	// leastJudged is what a question costs at the least, so that very many small ones end too.
	leastJudged = 16 << 10
)

// judge asks provenance about single pieces of a source. Once its allowance is spent it takes nothing for a statement.
type judge struct {
	left int
}

func newJudge() *judge { return &judge{left: maxJudged} }

func (j *judge) may(file []byte) bool {
	cost := max(len(file), leastJudged)
	if cost > j.left {
		j.left = 0
		return false
	}
	j.left -= cost
	return true
}

// said lists the statements of an image that carries nothing but c.
func (j *judge) said(c cargo) []provenance.Statement {
	file := preview(c)
	if !j.may(file) {
		return nil
	}
	return provenance.Read(file).Statements
}

// states tells whether such an image makes a statement.
func (j *judge) states(c cargo) bool { return len(j.said(c)) > 0 }

// clipStates tells it of a clip that carries nothing but t.
func (j *judge) clipStates(t text) bool {
	file := previewClip(cargo{texts: []text{t}})
	return j.may(file) && len(provenance.ReadClip(bytes.NewReader(file), int64(len(file)), probe.MP4).Statements) > 0
}
