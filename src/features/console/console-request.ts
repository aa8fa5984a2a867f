import type { IncomingMessage } from "node:http";
import { withTimeout } from "../../runtime/timeout.ts";
import { readForm } from "./form-reader.ts";
import type { Session } from "./people/sessions.ts";

/** A request that the console refuses. `message`: a sentence for the person. */
export class ConsoleError extends Error {
  readonly status: number;
  /** One word, for the audit trail. */
  readonly reason: string;

  constructor(status: number, reason: string, message: string) {
    super(message);
    this.status = status;
    this.reason = reason;
  }
}

/** A request whose method and path have the right form. */
export interface Asked {
  raw: IncomingMessage;
  isPost: boolean;
  path: string;
  query: URLSearchParams;
  address: string;
  /** Most milliseconds until the body has arrived. A form with files gets `uploadTime` more. */
  arrival: number;
}

export interface SignedIn extends Asked {
  session: Session;
}

/** Longest form in bytes; with files, and for signed-in people, the longest upload. */
export const longestForm = 64 * 1024;
export const longestUpload = 16 * 1024 * 1024;
export const uploadTime = 60_000;

export function cookieIn({ headers }: IncomingMessage, name: string): string | undefined {
  const pairs = (headers.cookie ?? "").split(";").map((pair) => pair.trim().split("="));
  return pairs.find(([each]) => each === name)?.[1];
}

export async function jsonIn({ raw, arrival }: Asked): Promise<Record<string, unknown>> {
  if (!/^application\/json\b/.test(raw.headers["content-type"] ?? ""))
    throw new ConsoleError(415, "media_type", "The console expects JSON here.");
  try {
    const text = await inTime(Array.fromAsync(bytesIn(raw, longestForm)), arrival);
    const value: unknown = JSON.parse(Buffer.concat(text).toString());
    if (typeof value === "object" && value !== null) return value as Record<string, unknown>;
  } catch (error) {
    if (error instanceof ConsoleError) throw error;
  }
  throw new ConsoleError(400, "malformed", "The console cannot read what the browser sent.");
}

/** Reads a form with its files. */
export async function formIn({ raw, arrival }: Asked, most: number): Promise<FormData> {
  const type = raw.headers["content-type"] ?? "";
  if (!/^(?:application\/x-www-form-urlencoded|multipart\/form-data)\b/.test(type))
    throw new ConsoleError(415, "media_type", "The console expects a form here.");
  const form = readForm(bytesIn(raw, most), type).catch((error) => {
    if (error instanceof ConsoleError) throw error;
    throw new ConsoleError(400, "malformed", "The console cannot read the form that the browser sent.");
  });
  return await inTime(form, most > longestForm ? arrival + uploadTime : arrival);
}

/** Throws if `arriving` takes longer than `arrival` milliseconds. */
async function inTime<Value extends object>(arriving: Promise<Value>, arrival: number): Promise<Value> {
  const value = await withTimeout(arriving, arrival);
  if (!value) throw new ConsoleError(408, "timeout", `The request did not arrive within ${arrival / 1000} seconds.`);
  return value;
}

/** Yields the body as it arrives. If it exceeds `most` bytes, throws but keeps the connection open for the response. */
async function* bytesIn(raw: IncomingMessage, most: number): AsyncGenerator<Buffer, void> {
  const tooLarge = () =>
    new ConsoleError(413, "too_large", `This is more than the ${most / 1024} KiB that the console takes.`);
  if (Number(raw.headers["content-length"] ?? 0) > most) throw tooLarge();
  let size = 0;
  for await (const part of raw.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    size += part.length;
    if (size > most) throw tooLarge();
    yield part;
  }
}
