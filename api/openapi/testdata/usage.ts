// What a customer writes against types made of the API's description. The compiler must take all of it, and must refuse each
// line under a @ts-expect-error.
import type { components, operations, paths, webhooks } from "./types";

type Schemas = components["schemas"];
type CheckRequest = paths["/audit"]["post"]["requestBody"]["content"]["application/json"];
type Refusal = operations["checkMedia"]["responses"][402]["content"]["application/json"];
type Ended = webhooks["optimizationEnded"]["post"]["requestBody"]["content"]["application/json"];

const base = "https://veracity.example/api/v1";
const headers = { "X-API-Key": "svc_live_…", "Content-Type": "application/json" };

export async function check(request: CheckRequest): Promise<Schemas["ImageCheck"] | Schemas["CheckJob"]> {
  const answer = await fetch(`${base}/audit`, { method: "POST", headers, body: JSON.stringify(request) });
  if (!answer.ok) {
    throw new Error(refusal((await answer.json()) as Refusal));
  }
  return answer.status === 200
    ? ((await answer.json()) as Schemas["ImageCheck"])
    : ((await answer.json()) as Schemas["CheckJob"]);
}

export function refusal(error: Refusal): string {
  return `${error.code}: ${error.message}`;
}

export function needed(error: Schemas["QuotaExceeded"]): number {
  return error.detail.required - error.detail.available;
}

// A job's status tells which members it has.
export function tell(job: Schemas["CheckJob"]): string {
  switch (job.status) {
    case "queued":
    case "running":
      return `${job.id} goes on`;
    case "failed":
      return `${job.id} failed: ${job.error.code}`;
    case "succeeded":
      return job.media === "video"
        ? `${job.verdict} over ${job.video.readings.length} frames`
        : `${job.verdict} over ${job.audio.seconds} s`;
  }
}

export function score(result: Schemas["ImageCheck"]): number {
  return result.score ?? 50; // null when the verdict is unavailable
}

export async function upload(file: Blob, ticket: Schemas["UploadTicket"]): Promise<CheckRequest> {
  const { "Content-Type": type, "If-None-Match": once } = ticket.headers;
  await fetch(ticket.upload_url, { method: ticket.method, headers: { "Content-Type": type, "If-None-Match": once }, body: file });
  return { image_upload_id: ticket.id };
}

export function link(job: Ended): string | undefined {
  return job.status === "succeeded" ? job.file_url : undefined;
}

export const requests: CheckRequest[] = [
  { image_url: "https://example.com/picture.jpg" },
  { video_upload_id: "7f3c1e52-94b6-4d0a-8f27-3a5b6c9d1e80", seconds: 42.5 },
];

// @ts-expect-error: a request names a source
export const sourceless: CheckRequest = { seconds: 5 };
// @ts-expect-error: seconds is a number
export const spelled: CheckRequest = { video_url: "https://example.com/a.mp4", seconds: "5" };
// @ts-expect-error: a voice clip is not optimized
export const sung: Schemas["OptimizeRequest"] = { audio_url: "https://example.com/a.mp3" };
// @ts-expect-error: a score may be null
export const certain: number = ({} as Schemas["ImageCheck"]).score;
// @ts-expect-error: a job that has not ended has no verdict
export const early = ({} as Schemas["PendingCheck"]).verdict;
// @ts-expect-error: maybe is no verdict
export const maybe: Schemas["Verdict"] = "maybe";
