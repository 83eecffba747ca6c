package origin

import "veracity/engine/render/atom"

// rebuilt is moov with the metadata given in place of its own and of its tracks'.
func rebuilt(movie, userData []byte) ([]byte, error) {
	whole, err := atom.List(movie)
	if err != nil {
		return nil, err
	}
	body, err := bare(whole[0].Body, true)
	if err != nil {
		return nil, err
	}
	return atom.Box("moov", body, userData), nil
}

// bare is the body of moov, or of a track, without metadata.
func bare(body []byte, movie bool) ([]byte, error) {
	list, err := atom.List(body)
	if err != nil {
		return nil, err
	}
	var out []byte
	for _, p := range list {
		switch {
		case p.Kind == "mvex":
			return nil, atom.ErrNoMP4
		case p.Kind == "udta", p.Kind == "meta", p.Kind == "uuid":
		case p.Kind == "trak" && movie:
			track, err := bare(p.Body, false)
			if err != nil {
				return nil, err
			}
			out = append(out, atom.Box("trak", track)...)
		default:
			out = append(out, p.Whole...)
		}
	}
	return out, nil
}
