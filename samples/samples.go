// Package samples holds the pictures that `veracity dev` checks on its first start. Both were drawn by samples/draw;
// one carries the label that image generators write, the other carries no mark at all.
package samples

import "embed"

//go:generate go run ./draw

//go:embed *.jpg
var files embed.FS

// Sample is one picture and what there is to know about it.
type Sample struct {
	Name  string
	About string
	Data  []byte
}

// All are the samples.
func All() ([]Sample, error) {
	list := []Sample{
		{Name: "labelled.jpg", About: "its metadata says that a trained model made it"},
		{Name: "plain.jpg", About: "no statement of origin in it"},
	}
	for i := range list {
		data, err := files.ReadFile(list[i].Name)
		if err != nil {
			return nil, err
		}
		list[i].Data = data
	}
	return list, nil
}
