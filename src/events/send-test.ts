import { randomBytes } from "node:crypto";
import type { BlockList } from "node:net";
import type { Keyring } from "../keyring/keyring.ts";
import type { EventEndpointRow } from "../storage/tables.ts";
import { signingSecrets } from "./endpoints.ts";
import { type Sent, sendDelivery } from "./send-delivery.ts";
import { signedHeaders } from "./signature.ts";

export interface SendTestOptions {
  keyring: Keyring;
  networks: BlockList | null;
  /** Milliseconds since 1970. */
  now: number;
  /** Milliseconds for the delivery. */
  timeout?: number;
}

/** Sends an `endpoint.test` to an endpoint once. It is no event of the account. */
export async function sendTest(
  row: EventEndpointRow,
  { keyring, networks, now, timeout }: SendTestOptions,
): Promise<Sent & { milliseconds: number }> {
  const event = { id: `evt_${randomBytes(15).toString("base64url")}`, type: "endpoint.test" };
  const timestamp = new Date(now).toISOString();
  const body = JSON.stringify({ ...event, timestamp, mode: row.mode, data: { endpoint: row.id } });
  const headers = signedHeaders({ id: event.id, body, at: now }, signingSecrets(keyring, row, now));
  const delivery = { url: row.url, body, headers, allowsPlain: row.mode === "test" };
  const begun = performance.now();
  const sent = await sendDelivery(delivery, { networks, ...(timeout !== undefined && { timeout }) });
  return { ...sent, milliseconds: Math.round(performance.now() - begun) };
}
