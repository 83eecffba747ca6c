package views

// firstGuides take a newcomer to the first answer.
func firstGuides() []Guide {
	const group = "Begin"
	return []Guide{
		{
			Slug: "quickstart", Title: "Quickstart", Group: group,
			Summary: "From nothing to a verdict in three steps.",
			Sections: []Section{
				{"key", "Make a key"},
				{"call", "Check an image"},
				{"answer", "Read the answer"},
				{"code", "From your code"},
				{"next", "What comes next"},
			},
			page: quickstartGuide,
		},
		{
			Slug: "authentication", Title: "Authentication", Group: group,
			Summary: "How a call shows its key, and how keys are made, changed and revoked.",
			Sections: []Section{
				{"header", "Send the key"},
				{"keys", "What a key is"},
				{"rotate", "Change a key"},
				{"refused", "When a key is refused"},
				{"safety", "Keep it safe"},
			},
			page: authenticationGuide,
		},
	}
}

// mediaGuides are about what the API does with media.
func mediaGuides() []Guide {
	const group = "Media"
	return []Guide{
		{
			Slug: "checks", Title: "Checks", Group: group,
			Summary: "Send an image, a video or a voice clip, and get its verdict.",
			Sections: []Section{
				{"source", "Name one source"},
				{"image", "Check an image"},
				{"clip", "Check a video or a voice clip"},
				{"upload", "Upload a file"},
				{"formats", "Formats"},
			},
			page: checksGuide,
		},
		{
			Slug: "answers", Title: "Reading an answer", Group: group,
			Summary: "What verdict, score and lanes mean, and what they do not.",
			Sections: []Section{
				{"verdict", "Verdict"},
				{"score", "Score"},
				{"decided", "What decided"},
				{"lanes", "Lanes"},
				{"models", "Learned models"},
				{"clips", "Videos and voice clips"},
				{"use", "How to use it"},
			},
			page: answersGuide,
		},
		{
			Slug: "optimization", Title: "Optimization", Group: group,
			Summary: "Make an image or a video ready for delivery, without hiding where it came from.",
			Sections: []Section{
				{"start", "Start one"},
				{"result", "Get the file"},
				{"score", "The optimization score"},
				{"kept", "What is kept and what is dropped"},
			},
			page: optimizationGuide,
		},
		{
			Slug: "jobs", Title: "Jobs", Group: group,
			Summary: "How work that takes longer than a call begins, ends and is read.",
			Sections: []Section{
				{"states", "States"},
				{"ask", "Ask how it stands"},
				{"kept", "How long it is kept"},
			},
			page: jobsGuide,
		},
		{
			Slug: "webhooks", Title: "Webhooks", Group: group,
			Summary: "Be told when an optimization has ended, and know that it was us.",
			Sections: []Section{
				{"request", "What is sent"},
				{"verify", "Check the signature"},
				{"replay", "Refuse old requests"},
				{"answer", "What to answer"},
				{"vectors", "Test vectors"},
			},
			page: webhooksGuide,
		},
	}
}

// reliableGuides are about running against the API for long.
func reliableGuides() []Guide {
	const group = "Reliability"
	return []Guide{
		{
			Slug: "limits", Title: "Limits", Group: group,
			Summary: "Credits, requests a minute, jobs at once, sizes and times.",
			Sections: []Section{
				{"credits", "Credits"},
				{"plans", "Plans"},
				{"rate", "Requests a minute"},
				{"jobs", "Jobs at once"},
				{"sizes", "Sizes"},
				{"times", "Times"},
			},
			page: limitsGuide,
		},
		{
			Slug: "errors", Title: "Errors", Group: group,
			Summary: "Every code, what it means and what to do about it.",
			Sections: []Section{
				{"shape", "The shape of an error"},
				{"order", "Which comes first"},
				{"codes", "Errors of a call"},
				{"failed", "Errors of a failed job"},
				{"detail", "Details"},
			},
			page: errorsGuide,
		},
		{
			Slug: "retries", Title: "Retries", Group: group,
			Summary: "Repeat a call without paying for it twice.",
			Sections: []Section{
				{"key", "Idempotency-Key"},
				{"stored", "What is kept"},
				{"when", "When to try again"},
			},
			page: retriesGuide,
		},
		{
			Slug: "account", Title: "Account and team", Group: "Account",
			Summary: "Roles, security and what the pages of an account show.",
			Sections: []Section{
				{"roles", "Roles"},
				{"see", "See what happens"},
				{"security", "Sign in safely"},
				{"close", "Close an account"},
			},
			page: accountGuide,
		},
	}
}

func (g Guide) sectionTitle(id string) string {
	for _, s := range g.Sections {
		if s.ID == id {
			return s.Title
		}
	}
	return id
}
