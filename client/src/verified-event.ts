import type { DubaEvent } from "./duba.ts";
import { clientFailure, DubaFailure } from "./outcome.ts";

/** Milliseconds by which a delivery may be older or newer than now. */
const tolerance = 300_000;

/**
 * The event of a delivery to your webhook. `body`: its bytes or text, before anything parsed it. `headers`: a
 * `Headers`, or an object such as Node's `request.headers`. `secret`: that of the endpoint, `whsec_…`. Throws a
 * `DubaFailure` with the code `wrong_delivery` if it is not signed with that secret, or older or newer than 5 minutes.
 * An event may come twice: pass over an `id` that you know.
 */
export async function verifiedEvent(
  body: string | Uint8Array,
  headers: Headers | Readonly<Record<string, string | readonly string[] | undefined>>,
  secret: string,
): Promise<DubaEvent> {
  const given = headers instanceof Headers ? [...headers] : Object.entries(headers);
  const named = new Map(given.map(([name, value]) => [name.toLowerCase(), String(value ?? "")]));
  const [id = "", time = "", signatures = ""] = ["id", "timestamp", "signature"].map((part) =>
    named.get(`webhook-${part}`),
  );
  if (!/^\d{1,12}$/.test(time) || Math.abs(Date.now() - Number(time) * 1000) > tolerance)
    throw wrong("The delivery is not from now, or has no webhook-timestamp.");
  const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body;
  const start = new TextEncoder().encode(`${id}.${time}.`);
  const signed = new Uint8Array(start.length + bytes.length);
  signed.set(start);
  signed.set(bytes, start.length);
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", secretBytes(secret), algorithm, false, ["verify"]);
  for (const signature of signatures.split(" ")) {
    const [version, text = ""] = signature.split(",");
    const code = version === "v1" ? decoded(text) : undefined;
    if (code && (await crypto.subtle.verify("HMAC", key, code, signed)))
      return JSON.parse(new TextDecoder().decode(bytes));
  }
  throw wrong("The delivery is not signed with this secret.");
}

function secretBytes(secret: string) {
  const bytes = decoded(secret.replace(/^whsec_/, ""));
  if (!bytes || bytes.length === 0) throw new TypeError("secret must be that of an endpoint: whsec_ and then base64.");
  return bytes;
}

/** Base64 as bytes; undefined if it is none. */
function decoded(text: string) {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}

function wrong(message: string): DubaFailure {
  return new DubaFailure(clientFailure("wrong_delivery", message));
}
