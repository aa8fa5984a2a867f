import type { LookupAddress } from "node:dns";
import { lookup } from "node:dns/promises";
import type { IncomingMessage, RequestOptions } from "node:http";
import { request as tlsRequest } from "node:https";
import { type BlockList, isIP } from "node:net";
import ipaddr from "ipaddr.js";
import manifest from "../../package.json" with { type: "json" };
import { isListed } from "../runtime/address.ts";
import { request as plainRequest } from "../runtime/network/node-http.ts";
import { codeOf } from "../storage/errors.ts";

/** A body to send to the endpoint of somebody else. */
export interface Delivery {
  url: string;
  body: string;
  headers: Record<string, string>;
  /** False: plain HTTP is refused, except to `networks`. */
  allowsPlain: boolean;
}

/** What became of it: an HTTP status, or a code of ours or of Node. Never the receiver's text. */
export interface Sent {
  delivered: boolean;
  outcome: string;
}

export interface SendOptions {
  /** Private networks that endpoints may be in. */
  networks: BlockList | null;
  /** Milliseconds for one delivery: name, connection and answer. */
  timeout?: number;
  /** Ends the delivery. */
  signal?: AbortSignal;
  /** Gives all addresses of a host's name. Unless said, as this machine finds them. */
  addressesOfName?: (host: string) => Promise<LookupAddress[]>;
}

export const sendTimeout = 10_000;
/** What is read of an answer, in bytes. Its status decides. */
const mostRead = 64 * 1024;

/**
 * Sends a body with POST. The host is resolved once, and the connection goes to an address that was checked, so that nobody can
 * make Duba call its own network: not with a name that changes, and not with a redirect, because none is followed. Never rejects.
 */
export async function sendDelivery(
  delivery: Delivery,
  { networks, timeout = sendTimeout, signal, addressesOfName = systemAddresses }: SendOptions,
): Promise<Sent> {
  const limit = AbortSignal.timeout(timeout);
  const ends = signal ? AbortSignal.any([signal, limit]) : limit;
  const url = new URL(delivery.url);
  try {
    const host = hostOf(url);
    const found = isIP(host) ? [{ address: host, family: isIP(host) }] : await orAborted(addressesOfName(host), ends);
    const addresses = checked(found, url, networks, delivery.allowsPlain);
    const status = await orAborted(post(url, addresses, delivery, ends), ends);
    return { delivered: status >= 200 && status < 300, outcome: String(status) };
  } catch (error) {
    const outcome = limit.aborted ? "timed_out" : error instanceof SendFault ? error.message : codeOf(error);
    return { delivered: false, outcome: outcome ?? "failed" };
  }
}

/** Why nothing was sent, as an outcome. */
class SendFault extends Error {}

const systemAddresses = (host: string) => lookup(host, { all: true });

/** The addresses of the URL's host. Throws a `SendFault` if Duba must not call one of them. */
function checked(found: LookupAddress[], url: URL, networks: BlockList | null, allowsPlain: boolean): LookupAddress[] {
  const foreign = found.filter(({ address }) => networks === null || !isListed(networks, address));
  // One is enough: else it would depend on chance which one is called.
  if (foreign.some(({ address }) => !isPublic(address))) throw new SendFault("address_refused");
  if (foreign.length > 0 && url.protocol !== "https:" && !allowsPlain) throw new SendFault("https_required");
  return found;
}

/** Whether the host of a URL is an address that Duba must not call. A name is checked with each delivery. */
export function isRefusedAddress(url: URL, networks: BlockList | null): boolean {
  const host = hostOf(url);
  return isIP(host) !== 0 && !isPublic(host) && !(networks !== null && isListed(networks, host));
}

function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, "");
}

/** Whether an address belongs to the public internet: private, local, reserved and embedded ones do not. */
export function isPublic(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.parse(address);
  // Of IPv6 only this part is given out. The library calls all unicast that it has no other name for, such as ::7f00:1.
  return parsed.range() === "unicast" && (parsed.kind() === "ipv4" || parsed.match(ipaddr.parseCIDR("2000::/3")));
}

/** The status of the answer, once it is read. */
function post(url: URL, addresses: LookupAddress[], { body, headers }: Delivery, signal: AbortSignal): Promise<number> {
  const request = url.protocol === "https:" ? tlsRequest : plainRequest;
  const options: RequestOptions = {
    method: "POST",
    headers: {
      "content-type": "application/json",
      "content-length": Buffer.byteLength(body),
      "user-agent": `Duba/${manifest.version}`,
      ...headers,
    },
    // In place of another look-up, whose answer nobody checked.
    lookup: (_host, { all }, found) =>
      all ? found(null, addresses) : found(null, addresses[0]!.address, addresses[0]!.family),
    agent: false,
    signal,
  };
  return new Promise((resolve, reject) => {
    const sending = request(url, options, (answer) => {
      read(answer).then(() => {
        resolve(answer.statusCode!);
        sending.destroy();
      }, reject);
    });
    sending.on("error", reject);
    sending.end(body);
  });
}

/** Reads an answer as far as we read any. Rejects if it breaks off before. */
async function read(answer: IncomingMessage): Promise<void> {
  let size = 0;
  for await (const chunk of answer) {
    size += (chunk as Buffer).length;
    if (size >= mostRead) return;
  }
}

/** Rejects once the signal is aborted: a look-up of a name cannot be ended. */
function orAborted<Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value> {
  const { promise, reject } = Promise.withResolvers<never>();
  const abort = () => reject(signal.reason);
  signal.addEventListener("abort", abort);
  if (signal.aborted) abort();
  return Promise.race([work, promise]).finally(() => signal.removeEventListener("abort", abort));
}
