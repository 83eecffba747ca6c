package trust

// LookNow has the next question look at the folder, whenever it was looked at before.
func (f *Folder) LookNow() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.looked = f.looked.Add(-lookEvery)
}
