package views

// exampleAnswer is the shape of POST /audit's answer, as the front page shows it.
const exampleAnswer = `{
  "verdict": "ai",
  "score": 98,
  "decided_by": "provenance",
  "lanes": {
    "pixels": {"verdict": "unavailable", "score": 50},
    "watermark": {"verdict": "unavailable", "score": 50},
    "provenance": {"verdict": "ai", "issuer": "Stable Diffusion WebUI"}
  },
  "media": "image"
}`
