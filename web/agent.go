package web

import "strings"

// Words of a User-Agent header that tell a browser, the more special ones first: all but Firefox say that they are Safari,
// and all of Chromium's kin that they are Chrome.
var (
	browserWords = [][2]string{
		{"Edg", "Edge"},
		{"OPR/", "Opera"},
		{"SamsungBrowser/", "Samsung Internet"},
		{"Vivaldi/", "Vivaldi"},
		{"FxiOS/", "Firefox"},
		{"Firefox/", "Firefox"},
		{"CriOS/", "Chrome"},
		{"Chrome/", "Chrome"},
		{"Safari/", "Safari"},
		{"curl/", "curl"},
	}
	systemWords = [][2]string{
		{"iPhone", "iPhone"},
		{"iPad", "iPad"},
		{"Android", "Android"},
		{"CrOS", "ChromeOS"},
		{"Windows", "Windows"},
		{"Mac OS X", "macOS"},
		{"Linux", "Linux"},
	}
)

// agentWords shortens a User-Agent header to words such as “Firefox on Linux”. Browsers may say what they like there, so
// it is a help to remember by and no proof.
func agentWords(agent string) string {
	browser, system := firstWord(agent, browserWords), firstWord(agent, systemWords)
	switch {
	case browser == "" && system == "":
		return "Unknown browser"
	case system == "":
		return browser
	case browser == "":
		return "A browser on " + system
	}
	return browser + " on " + system
}

func firstWord(agent string, words [][2]string) string {
	for _, w := range words {
		if strings.Contains(agent, w[0]) {
			return w[1]
		}
	}
	return ""
}
