package c2pa

import "strings"

// wholeSchemas are the prefixes whose fields may all stand in c2pa.metadata (specification 2.2, table 15): XMP basic, media
// management and paged text, camera raw, PDF.
var wholeSchemas = map[string]bool{"xmp": true, "xmpMM": true, "xmpTPg": true, "crs": true, "pdf": true}

// partSchemas are the fields of other prefixes that may (specification 2.2, appendix B.2).
var partSchemas = fieldsOf(map[string]string{
	"dc":           `coverage date format identifier language relation type`,
	"Iptc4xmpCore": `Scene`,
	"Iptc4xmpExt": `
		DigImageGUID DigitalSourceType EventId Genre ImageRating ImageRegion RegistryId LocationCreated LocationShown
		MaxAvailHeight MaxAvailWidth`,
	"exif": `
		ApertureValue BrightnessValue CFAPattern ColorSpace CompressedBitsPerPixel Contrast CustomRendered
		DateTimeDigitized DateTimeOriginal DeviceSettingDescription DigitalZoomRatio ExifVersion ExposureBiasValue
		ExposureIndex ExposureMode ExposureProgram ExposureTime FileSource Flash FlashEnergy FlashpixVersion FNumber
		FocalLength FocalLengthIn35mmFilm FocalPlaneResolutionUnit FocalPlaneXResolution FocalPlaneYResolution
		GainControl ImageUniqueID ISOSpeedRatings LightSource MaxApertureValue MeteringMode OECF OffsetTimeOriginal
		PixelXDimension PixelYDimension RelatedSoundFile Saturation SceneCaptureType SceneType SensingMethod Sharpness
		ShutterSpeedValue SpatialFrequencyResponse SpectralSensitivity SubjectArea SubjectDistance SubjectDistanceRange
		SubjectLocation WhiteBalance GPSAltitude GPSAltitudeRef GPSDateStamp GPSDestBearing GPSDestBearingRef
		GPSDestDistance GPSDestDistanceRef GPSDestLatitude GPSDestLongitude GPSDifferential GPSDOP GPSHPositioningError
		GPSImgDirection GPSImgDirectionRef GPSLatitude GPSLongitude GPSMapDatum GPSMeasureMode GPSProcessingMethod
		GPSSatellites GPSSpeed GPSSpeedRef GPSStatus GPSTimeStamp GPSTrack GPSTrackRef GPSVersionID`,
	"exifEX": `
		BodySerialNumber Gamma InteroperabilityIndex ISOSpeed ISOSpeedLatitudeyyy ISOSpeedLatitudezzz LensMake LensModel
		LensSerialNumber LensSpecification PhotographicSensitivity RecommendedExposureIndex SensitivityType
		StandardOutput-Sensitivity StandardOutputSensitivity`,
	"photoshop": `
		Category City ColorMode Country DateCreated DocumentAncestors History ICCProfile State SupplementalCategories
		TextLayers TransmissionReference Urgency`,
	"tiff": `
		BitsPerSample Compression DateTime ImageLength ImageWidth Make Model Orientation PhotometricInterpretation
		PlanarConfiguration PrimaryChromaticities ReferenceBlackWhite ResolutionUnit SamplesPerPixel Software
		TransferFunction WhitePoint XResolution YResolution YCbCrCoefficients YCbCrPositioning YCbCrSubSampling`,
	"xmpDM": `
		absPeakAudioFilePath album altTapeName altTimecode audioChannelType audioCompressor audioSampleRate
		audioSampleType beatSpliceParams cameraAngle cameraLabel cameraModel cameraMove comment contributedMedia
		duration fileDataRate genre good instrument introTime key logComment loop numberOfBeats markers outCue
		projectName projectRef pullDown relativePeakAudioFilePath relativeTimestamp releaseDate resampleParams scaleType
		scene shotDate shotDay shotLocation shotName shotNumber shotSize speakerPlacement startTimecode stretchMode
		takeNumber tapeName tempo timeScaleParams timeSignature trackNumber Tracks videoAlphaMode
		videoAlphaPremultipleColor videoAlphaUnityIsTransparent videoColorSpace videoCompressor videoFieldOrder
		videoFrameRate videoFrameSize videoPixelAspectRatio videoPixelDepth partOfCompilation lyrics discNumber`,
	"plus": `FileNameAsDelivered FirstPublicationDate ImageFileFormatAsDelivered ImageFileSizeAsDelivered ImageType Version`,
})

func fieldsOf(schemas map[string]string) map[string]bool {
	fields := map[string]bool{}
	for prefix, names := range schemas {
		for name := range strings.FieldsSeq(names) {
			fields[prefix+":"+name] = true
		}
	}
	return fields
}

// metadataAllowed tells the fields that c2pa.metadata may have; keywords of JSON-LD begin with an at sign.
func metadataAllowed(field string) bool {
	prefix, _, _ := strings.Cut(field, ":")
	return strings.HasPrefix(field, "@") || wholeSchemas[prefix] || partSchemas[field]
}
