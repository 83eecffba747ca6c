package sandbox

// pageOf answers with the rows that want names, the newest first, under the parameters that all lists have
// (https://docs.stripe.com/api/pagination).
func pageOf[T any, P interface {
	*T
	record
}](c *call, t *table[T, P], want func(P) bool) (any, error) {
	limit := int64(10)
	if given := c.whole("limit"); given != nil {
		limit = *given
	}
	after, afterSet := c.text("starting_after")
	before, beforeSet := c.text("ending_before")
	since := c.between("created")
	switch err := c.done(); {
	case err != nil:
		return nil, err
	case limit < 1 || limit > 100:
		return nil, refuse("limit", "parameter_invalid_integer", "limit must be between 1 and 100.")
	case afterSet && beforeSet:
		return nil, refuse("starting_after", "parameters_exclusive", "Give one of starting_after and ending_before.")
	}
	rows := make([]P, 0, len(t.rows))
	for i := len(t.rows) - 1; i >= 0; i-- {
		if row := t.rows[i]; want(row) && since(row.createdAt()) {
			rows = append(rows, row)
		}
	}
	var err error
	if afterSet {
		var from int
		if from, err = position(rows, after, "starting_after"); err == nil {
			rows = rows[from+1:]
		}
	}
	cut := func(n int) []P { return rows[:n] }
	if beforeSet {
		var to int
		if to, err = position(rows, before, "ending_before"); err == nil {
			rows = rows[:to]
		}
		cut = func(n int) []P { return rows[len(rows)-n:] }
	}
	if err != nil {
		return nil, err
	}
	n := min(int(limit), len(rows))
	page := listOf(c.seen, cut(n)...)
	page.HasMore = n < len(rows)
	return page, nil
}

func position[P record](rows []P, id, param string) (int, error) {
	for i, row := range rows {
		if row.key() == id {
			return i, nil
		}
	}
	return 0, missing("object in this list", param, id)
}

// between reads a filter of times: x=N, x[gt], x[gte], x[lt], x[lte].
func (p *params) between(name string) func(int64) bool {
	exact, in := p.whole(name), p.in(name)
	gt, gte, lt, lte := in.whole("gt"), in.whole("gte"), in.whole("lt"), in.whole("lte")
	return func(at int64) bool {
		return (exact == nil || at == *exact) && (gt == nil || at > *gt) && (gte == nil || at >= *gte) &&
			(lt == nil || at < *lt) && (lte == nil || at <= *lte)
	}
}
