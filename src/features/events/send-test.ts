import { randomBytes } from "node:crypto";
import type { BlockList } from "node:net";
import type { Keyring } from "../../keyring/keyring.ts";
import { type Sent, sendDelivery } from "../../runtime/network/send-delivery.ts";
import { signedHeaders } from "../../runtime/network/signature.ts";
import type { EventEndpointRow } from "../../storage/tables.ts";
import { signingSecrets } from "./endpoints.ts";

export interface SendTestOptions {
  keyring: Keyring;
  networks: BlockList | null;
  /** Milliseconds since 1970. */
  now: number;
  /** Milliseconds for the delivery. */
  timeout?: number;
  /** Called with the address that a redirect points to. */
  redirected?: (to: URL) => void;
}

/** Sends an `endpoint.test` to an endpoint once. The event does not appear among the account's events. */
export async function sendTest(
  row: EventEndpointRow,
  { keyring, networks, now, timeout, redirected }: SendTestOptions,
): Promise<Sent & { milliseconds: number }> {
  const event = { id: `evt_${randomBytes(15).toString("base64url")}`, type: "endpoint.test" };
  const timestamp = new Date(now).toISOString();
  const body = JSON.stringify({ ...event, timestamp, mode: row.mode, data: { endpoint: row.id } });
  const headers = signedHeaders({ id: event.id, body, at: now }, signingSecrets(keyring, row, now));
  const delivery = { url: row.url, owner: row.audience, body, headers, allowsPlain: row.mode === "test" };
  const begun = performance.now();
  const options = { networks, ...(timeout !== undefined && { timeout }), ...(redirected && { redirected }) };
  const sent = await sendDelivery(delivery, options);
  return { ...sent, milliseconds: Math.round(performance.now() - begun) };
}
