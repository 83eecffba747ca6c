package mcp

// What the tools answer, as the contract has it: the same objects that REST answers.

func checkAnswer() schema {
	members := resultFields().with(jobFields("video", "audio", "image"))
	return object(members, "media").set("anyOf", []schema{
		{"required": []string{"verdict", "score", "decided_by", "lanes"}},
		{"required": []string{"id", "status"}},
	})
}

func checkJob() schema {
	return object(resultFields().with(jobFields("video", "audio", "image")), "id", "status", "media")
}

// jobFields are what every job has.
func jobFields(kinds ...string) fields {
	return fields{
		"id":     text("The id of the job.").format("uuid"),
		"status": oneOf("Where the job stands.", "queued", "running", "succeeded", "failed"),
		"media":  oneOf("What the file is.", kinds...),
		"error":  failure(),
	}
}

func failure() schema {
	return object(fields{
		"code":    text("A stable word for why the job failed."),
		"message": text("Why it failed."),
	}, "code", "message").set("description", "Once the job has failed.")
}

func resultFields() fields {
	return fields{
		"verdict":    oneOf("What the check says.", "ai", "real", "uncertain", "unavailable"),
		"score":      score(`0 is surely captured or recorded, 100 surely made by AI; null when the verdict is "unavailable".`).set("type", []string{"integer", "null"}),
		"decided_by": oneOf("What the verdict rests on.", "watermark", "provenance", "pixels", "weighed", "conflict", "voice"),
		"lanes":      lanes(),
		"video":      checkedVideo(),
		"audio":      checkedAudio(),
		"detail":     schema{"type": "object", "description": "The engine's raw report. Its shape may change."},
	}
}

func score(description string) schema { return whole(description).between(0, 100) }

func lanes() schema {
	return object(fields{
		"pixels":    lane("What the picture itself looks like."),
		"watermark": lane("Marks that generators leave in their files."),
		"provenance": object(fields{
			"verdict": laneVerdict(),
			"issuer":  text("Who made the statement that counted.").set("type", []string{"string", "null"}),
		}, "verdict", "issuer").set("description", "What the file says of its own origin."),
	}, "pixels", "watermark", "provenance").set("description", "The readings behind the verdict.")
}

func lane(description string) schema {
	return object(fields{"verdict": laneVerdict(), "score": score("As the score of the result.")}, "verdict", "score").
		set("description", description)
}

func laneVerdict() schema {
	return oneOf(`"none" found nothing to go by.`, "ai", "real", "uncertain", "none", "unavailable")
}

func readings() schema {
	return list("Readings along the clip.", object(fields{
		"t":       number("Seconds from the start."),
		"verdict": laneVerdict(),
		"score":   score("As the score of the result."),
	}, "t", "verdict", "score"))
}

func checkedVideo() schema {
	return object(fields{
		"seconds": number("Length."), "fps": number("Frames a second."), "frames": whole("Number of frames."),
		"width": whole("In pixels."), "height": whole("In pixels."),
		"audio":    oneOf("The verdict on the sound track, if any.", "none", "silent", "ai", "real", "uncertain", "unavailable"),
		"readings": readings(),
	}, "seconds", "fps", "frames", "width", "height", "audio", "readings").set("description", "Of a video.")
}

func checkedAudio() schema {
	return object(fields{
		"seconds": number("Length."), "sample_rate": whole("In Hz."), "channels": whole("Number of channels."),
		"codec": text("How the sound is coded."), "readings": readings(),
	}, "seconds", "sample_rate", "channels", "codec", "readings").set("description", "Of a voice clip.")
}

func optimization() schema {
	return object(jobFields("image", "video").with(fields{
		"file_url":   text("Where the optimized file can be downloaded, without a key.").format("uri"),
		"image_url":  text("The same, of an image.").format("uri"),
		"expires_at": text("Until when the links work.").format("date-time"),
		"optimization_score": object(fields{
			"score": score("Fidelity to the source together with the bytes saved."),
			"zone":  oneOf("The score in a word.", "poor", "fair", "good", "excellent"),
		}, "score", "zone").set("description", "Once the job has succeeded."),
		"video": object(fields{
			"seconds": number("Length."), "fps": number("Frames a second."), "frames": whole("Number of frames."),
			"width": whole("In pixels."), "height": whole("In pixels."), "codec": text("How the pictures are coded."),
			"bytes": whole("Size of the optimized file."), "source_bytes": whole("Size of the source."),
		}, "seconds", "fps", "frames", "width", "height", "codec", "bytes", "source_bytes").
			set("description", "Once the job of a video has succeeded."),
	}), "id", "status", "media")
}

func ticket() schema {
	return object(fields{
		"id":         text("Give it to check_media or optimize_media once the file has been sent.").format("uuid"),
		"upload_url": text("Where to send the file.").format("uri"),
		"method":     text("The HTTP method to send it with."),
		"headers": schema{
			"type": "object", "description": "The headers to send, exactly these.",
			"additionalProperties": schema{"type": "string"},
		},
		"max_bytes":  whole("The largest file that the ticket takes."),
		"expires_at": text("When the ticket stops working.").format("date-time"),
	}, "id", "upload_url", "method", "headers", "max_bytes", "expires_at")
}

func usageAnswer() schema {
	return object(fields{
		"plan": text("The name of the plan."),
		"credits": object(fields{
			"granted":   whole("Granted for the current period."),
			"held":      whole("Held by work in progress."),
			"spent":     whole("Spent in the current period."),
			"available": whole("Left to spend."),
			"resets_at": text("When the period ends and credits are granted anew; null when no period is open.").
				set("type", []string{"string", "null"}).format("date-time"),
		}, "granted", "held", "spent", "available", "resets_at"),
		"limits": object(fields{
			"credits": whole("Credits that each period grants."),
			"rpm":     whole("Requests a minute, over all keys."),
			"jobs":    whole("Jobs at once, over all keys."),
			"keys":    whole("API keys."),
		}, "credits", "rpm", "jobs", "keys"),
	}, "plan", "credits", "limits")
}
