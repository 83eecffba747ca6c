package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"

	"golang.org/x/term"
)

// progressBar shows on a terminal how far one piece of work has come. Elsewhere it shows nothing.
type progressBar struct {
	mu    sync.Mutex
	out   io.Writer
	shown int
}

// barCells is the bar's width in characters.
const barCells = 30

func newProgressBar(out io.Writer) *progressBar {
	file, ok := out.(*os.File)
	if !ok || !term.IsTerminal(int(file.Fd())) {
		out = nil
	}
	b := &progressBar{out: out, shown: -1}
	b.set(0)
	return b
}

// set takes 0 to 1.
func (b *progressBar) set(done float64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	percent := int(min(max(done, 0), 1) * 100)
	if b.out == nil || percent <= b.shown {
		return
	}
	b.shown = percent
	full := percent * barCells / 100
	_, _ = fmt.Fprintf(b.out, "\r[%s%s] %3d %%", strings.Repeat("#", full), strings.Repeat(".", barCells-full), percent)
}

// done takes the bar away.
func (b *progressBar) done() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.out != nil {
		_, _ = fmt.Fprintf(b.out, "\r%s\r", strings.Repeat(" ", barCells+8))
	}
	b.out = nil
}
