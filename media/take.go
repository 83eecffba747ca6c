package media

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/google/uuid"

	"veracity/engine"
	"veracity/engine/probe"
	"veracity/platform/fault"
	"veracity/platform/storage"
	"veracity/quota"
)

// stored is a source as it lies in storage.
type stored struct {
	key  string
	size int64
	// upload is the ticket that it came by, the zero UUID for other ways.
	upload uuid.UUID
}

const sourcePrefix = "sources/"

func sourceKey(job uuid.UUID) string { return sourcePrefix + job.String() }

// take brings a job's source into storage and refuses what must be refused in the call. An account takes at most as many
// at once as it has job slots free.
func (s *Service) take(ctx context.Context, o order, src Source, free int) (stored, error) {
	leave, ok := s.clips.enter(o.caller.Account, free)
	if !ok {
		return stored{}, quota.TooManyJobs()
	}
	defer leave()
	switch {
	case src.Media == engine.Image:
		return s.takeImage(ctx, o, src)
	case src.Way == ByUpload:
		return s.takeUploadedClip(ctx, o, src)
	}
	return s.takeClip(ctx, o, src)
}

func (s *Service) takeClip(ctx context.Context, o order, src Source) (stored, error) {
	leave, err := s.clipFetches.enter(ctx, o.caller.Account)
	if err != nil {
		return stored{}, err
	}
	defer leave()
	kept := stored{key: sourceKey(o.id)}
	if kept.size, err = s.fetchClip(ctx, o, src, kept.key); err != nil {
		return stored{}, err
	}
	if err := s.checkTracks(ctx, src.Media, kept); err != nil {
		s.dropSource(ctx, kept)
		return stored{}, err
	}
	return kept, nil
}

// takeImage has the engine decode the image, so that what cannot be optimized is refused now, and then stores it.
func (s *Service) takeImage(ctx context.Context, o order, src Source) (stored, error) {
	file, err := s.open(ctx, o.caller, src)
	if err != nil {
		return stored{}, err
	}
	defer func() { _ = file.Close() }()
	if _, err := s.engine.AcceptImage(ctx, engine.Source{Body: file, Size: file.size}); err != nil {
		s.spend(ctx, o, src, err)
		return stored{}, storageFault(err)
	}
	if src.Way == ByUpload {
		return stored{key: uploadKey(src.upload), size: file.size, upload: src.upload}, nil
	}
	if _, err := file.rewind.Seek(0, io.SeekStart); err != nil {
		return stored{}, fmt.Errorf("read image again: %w", err)
	}
	kept := stored{key: sourceKey(o.id), size: file.size}
	if err := s.store.Put(ctx, kept.key, file, kept.size, sourceType); err != nil {
		return stored{}, storageFault(err)
	}
	return kept, nil
}

// spend uses up the upload of an image that the engine has read and refused. Refusals for want of an engine leave it.
func (s *Service) spend(ctx context.Context, o order, src Source, refusal error) {
	if src.Way != ByUpload || statelessRefusal(refusal) {
		return
	}
	if err := useUpload(ctx, s.db, o.caller, src.upload); err != nil {
		s.log.WarnContext(ctx, "use upload of a refused image", "upload", src.upload, "error", err)
	}
}

// statelessRefusal tells a failure that says nothing about the file.
func statelessRefusal(err error) bool {
	switch fault.CodeOf(err) { //nolint:exhaustive // all other codes are about the file
	case fault.EngineUnavailable, fault.ModelUnavailable, fault.EngineCredentialsMissing, fault.EngineRegionMissing,
		fault.UploadsUnavailable, fault.InternalError:
		return true
	}
	return false
}

// sourceType is the content type of stored sources: nobody is served them, and what callers claim is not believed.
const sourceType = "application/octet-stream"

func (s *Service) takeUploadedClip(ctx context.Context, o order, src Source) (stored, error) {
	size, err := s.findUpload(ctx, o.caller, src.upload)
	if err != nil {
		return stored{}, err
	}
	kept := stored{key: uploadKey(src.upload), size: size, upload: src.upload}
	r, err := storage.NewReader(ctx, s.store, kept.key)
	if err != nil {
		return stored{}, storageFault(err)
	}
	if r.Info().Size != size {
		// Some S3 servers keep what arrived of a PUT that broke off.
		return stored{}, uploadNotFound()
	}
	if size > maxBytes(src.Media) {
		return stored{}, fault.New(tooLargeCode(src.Media), "%s may have up to %d bytes.", title(src.Media), maxBytes(src.Media))
	}
	head := make([]byte, min(size, probe.HeadBytes))
	if _, err := r.ReadAt(head, 0); err != nil && !errors.Is(err, io.EOF) {
		return stored{}, storageFault(err)
	}
	if err := checkHead(src, head); err != nil {
		return stored{}, err
	}
	return kept, s.checkTracks(ctx, src.Media, kept)
}

// fetchClip streams a URL or a form's file into storage under key and returns its length. A server that says how long the
// file is has it passed straight on; else it waits in the spool until its length is known.
func (s *Service) fetchClip(ctx context.Context, o order, src Source, key string) (int64, error) {
	from, err := s.stream(ctx, src, s.cfg.ClipFetchTimeout)
	if err != nil {
		return 0, err
	}
	defer func() { _ = from.Close() }()
	body := bufio.NewReaderSize(from, probe.HeadBytes)
	head, err := body.Peek(probe.HeadBytes)
	if err != nil && !errors.Is(err, io.EOF) {
		return 0, fetchFault(err, src.Media)
	}
	if err := checkHead(src, head); err != nil {
		return 0, err
	}
	if from.size > 0 {
		err := s.store.Put(ctx, key, body, from.size, sourceType)
		return from.size, fetchFault(storageFault(err), src.Media)
	}
	return s.spoolClip(ctx, o, src, key, body)
}

// spoolClip keeps a body of unknown length on disk, within the budget of all spooled clips together.
func (s *Service) spoolClip(ctx context.Context, o order, src Source, key string, body io.Reader) (int64, error) {
	leave, err := s.spools.enter(ctx, o.caller.Account)
	if err != nil {
		return 0, err
	}
	defer leave()
	file, err := s.spool()
	if err != nil {
		return 0, err
	}
	defer func() { _ = file.Close() }()
	size, err := io.Copy(file, body)
	if err != nil {
		return 0, fetchFault(err, src.Media)
	}
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return 0, fmt.Errorf("read spooled clip: %w", err)
	}
	if err := s.store.Put(ctx, key, file, size, sourceType); err != nil {
		return 0, storageFault(err)
	}
	return size, nil
}

// checkHead refuses by content what is no clip of the kind that was named. MP4 may hold either kind: its tracks tell.
func checkHead(src Source, head []byte) error {
	found := probe.Sniff(head)
	switch {
	case found.Media() == src.Media, src.Media == engine.Audio && found == probe.MP4:
		return nil
	case found.Media() == "":
		return wrongMedia(src.Media, "The file is of no type that is read here.")
	case src.Way == ByFile:
		return wrongMedia(src.Media, fmt.Sprintf("The file is %s (%s).", withArticle(found.Media()), found.Name()))
	}
	return wrongMedia(src.Media, fmt.Sprintf("The file is %s (%s): send it as %s_url or %s_upload_id.",
		withArticle(found.Media()), found.Name(), found.Media(), found.Media()))
}

// checkTracks looks into an MP4 or QuickTime file for what it holds. One that cannot be read is the job's to refuse.
func (s *Service) checkTracks(ctx context.Context, media engine.Media, src stored) error {
	r, err := storage.NewReader(ctx, s.store, src.key)
	if err != nil {
		return storageFault(err)
	}
	video, sound, err := probe.Tracks(r, src.size)
	switch {
	case errors.Is(err, storage.ErrUnavailable), errors.Is(err, storage.ErrNotFound):
		return storageFault(err)
	case ctx.Err() != nil:
		return fmt.Errorf("look at the tracks: %w", ctx.Err())
	case err != nil:
		return nil //nolint:nilerr // no such container, or a damaged one: the engine says which
	case media == engine.Audio && video:
		return wrongMedia(media, "The file holds moving pictures: send it as video_url or video_upload_id.")
	case media == engine.Video && !video && sound:
		return wrongMedia(media, "The file holds sound alone: send it as audio_url or audio_upload_id.")
	}
	return nil
}

func wrongMedia(media engine.Media, found string) error {
	types := "an MP4, MOV or WebM video"
	if media == engine.Audio {
		types = "an MP3, WAV or M4A voice clip"
	}
	return fault.New(fault.UnsupportedMedia, "%s Here %s is needed.", found, types)
}

func withArticle(m engine.Media) string {
	switch m {
	case engine.Image:
		return "an image"
	case engine.Video:
		return "a video"
	case engine.Audio:
		return "a voice clip"
	}
	return "something else"
}

// dropSource removes a source that no job wants. An upload stays: its ticket may still be used.
func (s *Service) dropSource(ctx context.Context, src stored) {
	if src.upload != uuid.Nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), giveBackTimeout)
	defer cancel()
	if err := s.store.Delete(ctx, src.key); err != nil {
		s.log.WarnContext(ctx, "remove source without a job: left to the sweep", "key", src.key, "error", err)
	}
}
