package web

import (
	"net/http"

	"veracity/views"
)

const (
	docsPath      = "/docs"
	referencePath = docsPath + "/api"
)

// apiReference is the page of all calls of the API.
func (p *Portal) apiReference(w http.ResponseWriter, r *http.Request, v *Visitor) error {
	key, err := p.keyStart(r, v)
	if err != nil {
		return err
	}
	page, err := p.referenceOf(v)
	if err != nil {
		return err
	}
	page.KeyStart = key
	pointToText(w, page.Path)
	return p.showPublic(w, r, views.ReferencePage(page))
}

func (p *Portal) referenceOf(v *Visitor) (views.Reference, error) {
	page, err := p.reference()
	if err != nil {
		return views.Reference{}, err
	}
	page.Docs, err = p.docsOf(v, "")
	page.Public = p.public(v, views.ReferenceTitle, referencePath)
	page.Description = views.ReferenceSummary
	return page, err
}
