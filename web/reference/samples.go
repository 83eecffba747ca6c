package reference

import (
	"fmt"
	"strings"

	"veracity/views"
)

// sampleID stands for a job's id in examples.
const sampleID = "7f3c1e52-94b6-4d0a-8f27-3a5b6c9d1e80"

// request is a call as an example makes it.
type request struct {
	method, url string
	// keyed: it needs a key.
	keyed bool
	// body is JSON on one line, "" for none.
	body string
	// file is where the answer goes, "" when it is JSON.
	file string
}

// samples are the call in the languages that people use.
func samples(c views.Call, base string) []views.Example {
	r := request{method: c.Method, url: base + "/api/v1" + strings.ReplaceAll(c.Path, "{id}", sampleID), keyed: !c.Open}
	if len(c.Bodies) > 0 {
		r.body = c.Bodies[0].Line
	}
	if len(c.Answers) > 0 && len(c.Answers[0].Types) > 0 && c.Answers[0].Types[0] == "image/png" {
		r.file = "optimized.png"
	}
	return []views.Example{
		{Title: "curl", Text: r.curl()},
		{Title: "Go", Text: r.golang()},
		{Title: "Python", Text: r.python()},
		{Title: "TypeScript", Text: r.typescript()},
	}
}

// streams marks the one call that asks for both of its answer's types (MCP, Streamable HTTP).
func (r request) streams() bool { return strings.HasSuffix(r.url, "/mcp") }

const streamTypes = "application/json, text/event-stream"

func (r request) curl() string {
	parts := []string{"curl " + r.url}
	if r.keyed {
		parts = append(parts, "-H 'X-API-Key: {{key}}'")
	}
	if r.streams() {
		parts = append(parts, "-H 'Accept: "+streamTypes+"'")
	}
	if r.body != "" {
		parts = append(parts, "-H 'Content-Type: application/json'", "-d '"+r.body+"'")
	}
	if r.file != "" {
		parts = append(parts, "--fail -o "+r.file)
	}
	return strings.Join(parts, " \\\n  ")
}

func (r request) golang() string {
	body := "nil"
	if r.body != "" {
		body = "strings.NewReader(`" + r.body + "`)"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "req, err := http.NewRequestWithContext(ctx, %q, %q,\n\t%s)\nif err != nil {\n\treturn err\n}\n", r.method, r.url, body)
	if r.keyed {
		b.WriteString("req.Header.Set(\"X-API-Key\", os.Getenv(\"VERACITY_KEY\"))\n")
	}
	if r.streams() {
		fmt.Fprintf(&b, "req.Header.Set(\"Accept\", %q)\n", streamTypes)
	}
	if r.body != "" {
		b.WriteString("req.Header.Set(\"Content-Type\", \"application/json\")\n")
	}
	b.WriteString("resp, err := http.DefaultClient.Do(req)\nif err != nil {\n\treturn err\n}\ndefer resp.Body.Close()\n")
	b.WriteString("if resp.StatusCode != http.StatusOK && resp.StatusCode != http.StatusAccepted {\n\treturn fmt.Errorf(\"answered %s\", resp.Status)\n}\n")
	if r.file != "" {
		fmt.Fprintf(&b, "file, err := os.Create(%q)\nif err != nil {\n\treturn err\n}\n_, err = io.Copy(file, resp.Body)\nreturn errors.Join(err, file.Close())", r.file)
		return b.String()
	}
	b.WriteString("var answer map[string]any\nreturn json.NewDecoder(resp.Body).Decode(&answer)")
	return b.String()
}

func (r request) python() string {
	var headers []string
	imports := "json, urllib.request"
	if r.keyed {
		imports = "json, os, urllib.request"
		headers = append(headers, `"X-API-Key": os.environ["VERACITY_KEY"]`)
	}
	if r.streams() {
		headers = append(headers, `"Accept": "`+streamTypes+`"`)
	}
	if r.body != "" {
		headers = append(headers, `"Content-Type": "application/json"`)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "import %s\n\nrequest = urllib.request.Request(\n    %q,\n    method=%q,\n    headers={%s},\n", imports, r.url, r.method, strings.Join(headers, ", "))
	if r.body != "" {
		fmt.Fprintf(&b, "    data=json.dumps(%s).encode(),\n", pythonic(r.body))
	}
	b.WriteString(")\nwith urllib.request.urlopen(request, timeout=60) as answer:\n")
	if r.file != "" {
		fmt.Fprintf(&b, "    with open(%q, \"wb\") as file:\n        file.write(answer.read())", r.file)
		return b.String()
	}
	b.WriteString("    print(json.load(answer))")
	return b.String()
}

// pythonic writes JSON as Python does. The examples have no texts with these words in them.
func pythonic(body string) string {
	return strings.NewReplacer(": true", ": True", ": false", ": False", ": null", ": None").Replace(body)
}

func (r request) typescript() string {
	var headers []string
	if r.keyed {
		headers = append(headers, `"X-API-Key": process.env.VERACITY_KEY!`)
	}
	if r.streams() {
		headers = append(headers, `"Accept": "`+streamTypes+`"`)
	}
	if r.body != "" {
		headers = append(headers, `"Content-Type": "application/json"`)
	}
	var b strings.Builder
	if r.file != "" {
		b.WriteString("import { writeFile } from \"node:fs/promises\";\n\n")
	}
	fmt.Fprintf(&b, "const answer = await fetch(%q, {\n  method: %q,\n", r.url, r.method)
	if len(headers) > 0 {
		fmt.Fprintf(&b, "  headers: { %s },\n", strings.Join(headers, ", "))
	}
	if r.body != "" {
		fmt.Fprintf(&b, "  body: JSON.stringify(%s),\n", r.body)
	}
	b.WriteString("});\nif (!answer.ok) throw new Error(await answer.text());\n")
	if r.file != "" {
		fmt.Fprintf(&b, "await writeFile(%q, Buffer.from(await answer.arrayBuffer()));", r.file)
		return b.String()
	}
	b.WriteString("console.log(await answer.json());")
	return b.String()
}
