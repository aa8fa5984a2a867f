import { InputError } from "../../declare/command/read-texts.ts";
import { httpUrl } from "../../declare/setting.ts";
import { HttpClient } from "../../runtime/network/http-client.ts";
import { newSecret, signedHeaders } from "../../runtime/network/signature.ts";
import { version } from "../../runtime/version.ts";

/** The time that Duba waits for a webhook's receiver, in milliseconds. */
const timeout = 10_000;

export interface ForwardOptions {
  /** Address that gets the events. */
  to: string;
  /** Secret that signs the events. Default: a new one. */
  secret?: string | undefined;
}

/** The members of a listed event that a line about it needs. */
interface Forwarded {
  id: string;
  type: string;
  data: { request_reference?: string | null } | null;
}

/**
 * Returns the target of events, the secret that signs them, and a function that sends an event just as its webhook
 * would be sent.
 */
export function forwarding({ to, secret = newSecret() }: ForwardOptions) {
  const address = httpUrl.read(to);
  if (address === undefined) throw new InputError(`--forward-to must be ${httpUrl.form}.`);
  if (!/^whsec_[A-Za-z0-9+/]{32,}=*$/.test(secret))
    throw new InputError("--secret must be the secret of an endpoint: whsec_ and then base64.");
  const http = new HttpClient();
  /** Sends the event once. Resolves to a status, or to an error code. */
  const forward = async (event: Record<string, unknown>) => {
    const { id, type, data } = event as unknown as Forwarded;
    const body = JSON.stringify(event);
    const begun = performance.now();
    const sent = await http.send({
      method: "POST",
      url: new URL(address),
      body,
      timeout,
      headers: {
        "content-type": "application/json",
        "user-agent": `Duba/${version}`,
        ...signedHeaders({ id, body, at: Date.now() }, [secret]),
      },
    });
    const outcome = sent.kind === "answered" ? String(sent.status) : sent.code;
    const ms = Math.round(performance.now() - begun);
    return { event: id, type, request_reference: data?.request_reference ?? null, outcome, ms };
  };
  return { address, secret, forward };
}
