import type { IncomingMessage } from "node:http";
import { withTimeout } from "../../runtime/timeout.ts";
import { parsedForm, parsedLargeForm } from "./form-reader.ts";
import type { Session } from "./people/sessions.ts";

/** A request that the console refuses, with its HTTP status. `message` is a sentence for the person. */
export class ConsoleError extends Error {
  readonly status: number;
  /** For the audit trail: a word. */
  readonly reason: string;

  constructor(status: number, reason: string, message: string) {
    super(message);
    this.status = status;
    this.reason = reason;
  }
}

/** A request that passed all checks but that of its form's token. */
export interface Asked {
  raw: IncomingMessage;
  isPost: boolean;
  path: string;
  query: URLSearchParams;
  address: string;
  /** How long a body may take, in milliseconds; a file takes `uploadTime` more. */
  arrival: number;
}

export interface SignedIn extends Asked {
  session: Session;
}

/** Bytes of a form, and of one with files from somebody who is signed in. */
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
    const value: unknown = JSON.parse(new TextDecoder().decode(await bytesIn(raw, longestForm, arrival)));
    if (typeof value === "object" && value !== null) return value as Record<string, unknown>;
  } catch (error) {
    if (error instanceof ConsoleError) throw error;
  }
  throw new ConsoleError(400, "malformed", "The console cannot read what the browser sent.");
}

/** The fields of a form, with its files. */
export async function formIn({ raw, arrival }: Asked, most: number): Promise<FormData> {
  const type = raw.headers["content-type"] ?? "";
  if (!/^(?:application\/x-www-form-urlencoded|multipart\/form-data)\b/.test(type))
    throw new ConsoleError(415, "media_type", "The console expects a form here.");
  const bytes = await bytesIn(raw, most, most > longestForm ? arrival + uploadTime : arrival);
  try {
    return await (bytes.length > longestForm ? parsedLargeForm : parsedForm)(bytes, type);
  } catch {
    throw new ConsoleError(400, "malformed", "The console cannot read the form that the browser sent.");
  }
}

/** `arrival`: in milliseconds. */
async function bytesIn(raw: IncomingMessage, most: number, arrival: number): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = await withTimeout(arrivingIn(raw, most), arrival);
  if (!bytes) throw new ConsoleError(408, "timeout", `The request did not arrive within ${arrival / 1000} seconds.`);
  return bytes;
}

/** Every part is written to its place at once: copying 16 MiB later would hold up look-ups. */
async function arrivingIn(raw: IncomingMessage, most: number): Promise<Uint8Array<ArrayBuffer>> {
  const tooLarge = () =>
    new ConsoleError(413, "too_large", `This is more than the ${most / 1024} KiB that the console takes.`);
  const announced = Number(raw.headers["content-length"] ?? most);
  if (announced > most) throw tooLarge();
  // Zeroing 16 MiB would hold them up, too.
  const bytes = Buffer.allocUnsafeSlow(announced);
  let size = 0;
  for await (const part of raw as AsyncIterable<Buffer>) {
    if (size + part.length > announced) throw tooLarge();
    bytes.set(part, size);
    size += part.length;
  }
  return size === announced ? bytes : new Uint8Array(bytes.buffer.transfer(size));
}
