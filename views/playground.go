package views

import "github.com/a-h/templ"

// prices are what playground.js says of a chosen file before it is sent.
func (f PlayForm) prices() templ.Attributes {
	return templ.Attributes{
		"data-image": Plain(f.Image), "data-max-seconds": Plain(f.MaxSeconds),
		"data-video": Plain(f.VideoCredits), "data-video-seconds": Plain(f.VideoSeconds), "data-video-held": Plain(f.VideoHeld),
		"data-voice": Plain(f.VoiceCredits), "data-voice-seconds": Plain(f.VoiceSeconds), "data-voice-held": Plain(f.VoiceHeld),
		"data-max-image": Plain(f.MaxImage), "data-max-clip": Plain(f.MaxClip), "data-available": Plain(f.Available),
	}
}

// reason points the button to why it is disabled.
func (f PlayForm) reason() string {
	if f.Blocked != nil {
		return "play-blocked"
	}
	return ""
}
