package main

import (
	"fmt"
	"io"
	"os"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/term"
)

// board shows on one line of a terminal how the work on several files goes. Elsewhere it shows nothing.
type board struct {
	mu  sync.Mutex
	out io.Writer
	// width is that of the terminal, in characters.
	width       int
	total, done int
	// files are those under way, in the order in which they began.
	files []*underway
	drawn time.Time
	stop  chan struct{}
}

// underway is what the board says of one file.
type underway struct {
	name, says string
	// since is when it began to be so; upload is the part that has been sent, below 0 where nothing is being sent.
	since  time.Time
	upload float64
}

// The line is drawn anew at most that often, and at least that often while time passes on it.
const redrawEach, redrawAtLeast = 100 * time.Millisecond, time.Second

func newBoard(out io.Writer) *board {
	b := &board{stop: make(chan struct{})}
	if file, ok := out.(*os.File); ok && term.IsTerminal(int(file.Fd())) {
		b.out, b.width = out, 80
		if width, _, err := term.GetSize(int(file.Fd())); err == nil && width > 0 {
			b.width = width
		}
	}
	return b
}

// begin shows the board for the work on total files, until end.
func (b *board) begin(total int) {
	b.total = total
	if b.out == nil {
		return
	}
	go func() {
		tick := time.NewTicker(redrawAtLeast)
		defer tick.Stop()
		for {
			select {
			case <-b.stop:
				return
			case <-tick.C:
				b.mu.Lock()
				b.draw()
				b.mu.Unlock()
			}
		}
	}()
}

// end takes the board away.
func (b *board) end() {
	close(b.stop)
	b.mu.Lock()
	b.files = nil
	b.mu.Unlock()
	b.aside(func() {})
	b.mu.Lock()
	b.out = nil // what is still told of an upload comes too late
	b.mu.Unlock()
}

// say shows what is going on with a file.
func (b *board) say(name, says string) { b.set(name, says, -1) }

// sent shows how much of a file has been uploaded.
func (b *board) sent(name string, sent, total int64) {
	b.set(name, "uploading", portion(sent, total))
}

func (b *board) set(name, says string, upload float64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	at := slices.IndexFunc(b.files, func(l *underway) bool { return l.name == name })
	if at < 0 {
		at = len(b.files)
		b.files = append(b.files, &underway{name: name})
	}
	line := b.files[at]
	if line.says != says {
		line.says, line.since = says, time.Now()
	}
	line.upload = upload
	if time.Since(b.drawn) >= redrawEach {
		b.draw()
	}
}

// finish takes a file off the board.
func (b *board) finish(name string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.done++
	b.files = slices.DeleteFunc(b.files, func(l *underway) bool { return l.name == name })
	b.draw()
}

// aside takes the line away while print writes to the terminal.
func (b *board) aside(print func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.out != nil {
		_, _ = fmt.Fprint(b.out, "\r\x1b[K")
	}
	print()
	b.draw()
}

// draw needs the lock.
func (b *board) draw() {
	if b.out == nil || len(b.files) == 0 {
		return
	}
	b.drawn = time.Now()
	text := []rune(b.text(b.drawn))
	_, _ = fmt.Fprint(b.out, "\r"+string(text[:min(len(text), b.width-1)])+"\x1b[K")
}

func (b *board) text(now time.Time) string {
	parts := make([]string, len(b.files))
	for i, line := range b.files {
		parts[i] = line.text(now)
	}
	if b.total > 1 {
		return fmt.Sprintf("%d of %d  %s", b.done, b.total, strings.Join(parts, "; "))
	}
	if upload := b.files[0].upload; upload >= 0 {
		return bar(upload) + "  " + path.Base(b.files[0].name)
	}
	return parts[0]
}

func (l *underway) text(now time.Time) string {
	text := path.Base(l.name) + " " + l.says
	if l.upload >= 0 {
		return fmt.Sprintf("%s %d %%", text, int(l.upload*100))
	}
	if passed := now.Sub(l.since); passed >= redrawAtLeast {
		text += fmt.Sprintf(", %d s", int(passed.Seconds()))
	}
	return text
}

func bar(done float64) string {
	full := int(min(max(done, 0), 1) * barCells)
	return fmt.Sprintf("[%s%s] %3d %%", strings.Repeat("#", full), strings.Repeat(".", barCells-full), int(done*100))
}
