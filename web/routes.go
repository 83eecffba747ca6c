package web

import (
	"net/http"

	"github.com/go-chi/chi/v5"

	"veracity/account/access"
)

// Need is what a route asks of its visitor.
type Need string

// The needs. A route of the account needs a right, which is spelled out in Route.Right.
const (
	// Anyone needs nothing.
	Anyone Need = "anyone"
	// SignedIn needs a person, with or without an account.
	SignedIn Need = "signed in"
	// Member needs a person who has Route.Right in the chosen account.
	Member Need = "member"
	// Operator needs a person who runs the service and has a second factor.
	Operator Need = "operator"
)

// Route is one route of the portal. Tests walk them, so that no new one goes unguarded.
type Route struct {
	Method, Pattern string
	Need            Need
	Right           access.Right
}

// Routes are all routes that Handler has mounted.
func (p *Portal) Routes() []Route { return p.routes }

// mount declares every page. What a page needs stands here and is asked before the page runs; the domain asks again.
func (p *Portal) mount(r chi.Router) {
	on := &routing{p, r}
	p.mountPublic(on)
	p.mountSignIn(on)
	p.mountAccount(on)
	p.mountOperator(on)
}

type routing struct {
	p *Portal
	r chi.Router
}

func (o *routing) add(route Route, page Page) {
	o.p.routes = append(o.p.routes, route)
	o.r.Method(route.Method, route.Pattern, o.p.guard(route, page))
}

func (o *routing) anyone(method, pattern string, page Page) {
	o.add(Route{Method: method, Pattern: pattern, Need: Anyone}, page)
}

func (o *routing) signedIn(method, pattern string, page Page) {
	o.add(Route{Method: method, Pattern: pattern, Need: SignedIn}, page)
}

func (o *routing) member(method, pattern string, right access.Right, page Page) {
	o.add(Route{Method: method, Pattern: pattern, Need: Member, Right: right}, page)
}

func (o *routing) operator(method, pattern string, page Page) {
	o.add(Route{Method: method, Pattern: pattern, Need: Operator, Right: access.Operate}, page)
}

const (
	get  = http.MethodGet
	post = http.MethodPost
)
