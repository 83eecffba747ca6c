package film

// meter turns the progress of the parts of the work into that of the whole, which never goes back.
type meter struct {
	tell       func(done float64)
	from, upTo float64
	told       float64
}

// Parts of the whole that are done when a part of the work ends, by what each takes of three minutes at 1080p.
const (
	inspected = 0.01
	sampled   = 0.05
	searched  = 0.20
	encoded   = 0.97
)

// part begins the part of the work that ends where upTo of the whole is done.
func (m *meter) part(upTo float64) {
	m.from, m.upTo = m.upTo, upTo
	m.at(0)
}

// end says that all is done.
func (m *meter) end() {
	m.upTo = 1
	m.at(1)
}

// at says how much of the part is done, 0 to 1.
func (m *meter) at(share float64) {
	done := m.from + (m.upTo-m.from)*min(max(share, 0), 1)
	if m.tell != nil && done > m.told {
		m.told = done
		m.tell(done)
	}
}

// seconds is for ffmpeg's progress on an output of the given length.
func (m *meter) seconds(whole float64) func(seconds float64) {
	return func(seconds float64) { m.at(seconds / max(whole, 0.001)) }
}

// steps is for work of so many steps: the answered function says that the i-th, from 0, is done.
func (m *meter) steps(n int) func(i int) {
	return func(i int) { m.at(float64(i+1) / float64(n)) }
}
