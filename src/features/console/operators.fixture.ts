import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { request } from "node:http";
import type { Engine } from "../../../test/support/engines.ts";
import { startService, type TestService } from "../../../test/support/service.ts";
import { type SoftwarePasskey, softwarePasskey } from "../../../test/support/software-passkey.ts";
import { type Role, roles } from "../../declare/command.ts";
import { inviteAtTerminal } from "./console.fixture.ts";
import { findSession } from "./people/sessions.ts";

export interface ConsoleSent {
  method?: string;
  headers?: Record<string, string>;
  body?: string;
  cookie?: string;
  /** The local address that the request comes from. */
  from?: string;
}

export interface ConsoleAnswer {
  status: number;
  headers: Record<string, unknown>;
  text: string;
}

export interface SignedInOperator {
  id: string;
  cookie: string;
  token: string;
  passkey: SoftwarePasskey;
}

type Fields = Record<string, string>;

/** Sends requests to a service's console, as browsers do. */
export interface ConsoleClient {
  origin: string;
  send(path: string, sent?: ConsoleSent): Promise<ConsoleAnswer>;
  /** Sends JSON, as the page's scripts do. */
  sendJson(path: string, body: object, cookie?: string): Promise<ConsoleAnswer>;
  /** Sends a form of a signed-in operator, and follows a redirect. */
  post(path: string, who: SignedInOperator, fields: Fields, headers?: Fields): Promise<ConsoleAnswer>;
  /** Returns what the operator's passkey has to sign for a form. */
  deedOf(path: string, who: SignedInOperator, fields: Fields): Promise<{ status: number; json: DeedOptions }>;
  /** Sends a form that the operator's passkey confirms. */
  confirm(path: string, who: SignedInOperator, fields: Fields): Promise<ConsoleAnswer>;
}

/** A service with a console, and a signed-in person of each role, without a browser. */
export interface Operators extends ConsoleClient {
  service: TestService;
  /** The people `<role>@example.com`. */
  by: Record<Role, SignedInOperator>;
  /** Returns the secret of an invitation made at a terminal. */
  invite(email: string, role: Role): Promise<string>;
  /** Registers a passkey with an invitation. */
  join(invitation: string, passkey?: SoftwarePasskey): Promise<ConsoleAnswer>;
  signIn(email: string, role: Role): Promise<SignedInOperator>;
  /** Returns the audit entries of a kind, oldest first. */
  entries(kind: string): Promise<{ actor: string; facts: ReturnType<typeof JSON.parse> }[]>;
  /** Returns the audit entries about refusals. */
  refusals(): Promise<{ person: string; reason: string; command?: string }[]>;
}

interface DeedOptions {
  options?: { challenge: string; allowCredentials: { id: string }[] };
  deed: string;
  page: string;
}

export const formType = { "Content-Type": "application/x-www-form-urlencoded" };

/** `port`: the listening port, if the origin is a proxy's. */
export function consoleClient({ console }: TestService, port = Number(new URL(console!.origin).port)): ConsoleClient {
  const { origin } = console!;
  let sent = 0;
  const send: ConsoleClient["send"] = (path, { method = "GET", headers = {}, body, cookie, from } = {}) =>
    new Promise((resolve, reject) => {
      // Each request has its own address behind a trusted proxy, so that no test uses up another's limit.
      sent += 1;
      const address = `198.51.${sent >> 8}.${sent & 255}`;
      const own = { Host: `localhost:${port}`, "X-Forwarded-For": address, ...(cookie && { Cookie: cookie }) };
      const all = { ...own, ...headers };
      const to = { host: "127.0.0.1", port, ...(from && { localAddress: from }) };
      const asking = request({ ...to, path, method, headers: all, agent: false }, (response) => {
        let text = "";
        response.setEncoding("utf8").on("data", (part: string) => {
          text += part;
        });
        response.on("end", () => resolve({ status: response.statusCode!, headers: response.headers, text }));
      });
      asking.on("error", reject).end(body);
    });
  const sendJson: ConsoleClient["sendJson"] = (path, body, cookie) => {
    const headers = { "Content-Type": "application/json", Origin: origin };
    return send(path, { method: "POST", body: JSON.stringify(body), headers, ...(cookie && { cookie }) });
  };
  const post: ConsoleClient["post"] = async (path, { cookie, token }, fields, headers = {}) => {
    const body = new URLSearchParams({ _token: token, _form: randomUUID(), ...fields }).toString();
    const answer = await send(path, {
      method: "POST",
      cookie,
      body,
      headers: { ...formType, Origin: origin, ...headers },
    });
    return answer.status === 303 ? send(String(answer.headers.location), { cookie }) : answer;
  };
  const deedOf: ConsoleClient["deedOf"] = async (path, who, fields) => {
    const { status, text } = await post(`${path}?_confirm=1`, who, fields, { Accept: "application/json" });
    return { status, json: JSON.parse(text) };
  };
  return {
    origin,
    send,
    sendJson,
    post,
    deedOf,
    async confirm(path, who, fields) {
      const { json } = await deedOf(path, who, fields);
      assert.ok(json.options, `${path} asked for no passkey`);
      const _passkey = JSON.stringify(who.passkey.sign(json.options.challenge, origin));
      return post(path, who, { ...fields, _passkey, _deed: json.deed });
    },
  };
}

export async function startOperators(engine: Engine, settings: Record<string, string> = {}): Promise<Operators> {
  const service = await startService({ DUBA_CONSOLE: "127.0.0.1:0", ...settings }, engine);
  const client = consoleClient(service);
  const { origin, sendJson } = client;
  const invite: Operators["invite"] = async (email, role) => {
    const [, secret = ""] = (await inviteAtTerminal(service, email, role)).split("#");
    return secret;
  };
  const join: Operators["join"] = async (invitation, passkey = softwarePasskey(origin)) => {
    const { challenge } = JSON.parse((await sendJson("/join/options", { invitation })).text);
    return sendJson("/join", { invitation, name: "", response: passkey.register(challenge) });
  };
  const signIn = async (email: string, role: Role): Promise<SignedInOperator> => {
    const passkey = softwarePasskey(origin);
    const joined = await join(await invite(email, role), passkey);
    assert.equal(joined.status, 200, joined.text);
    const [cookie = ""] = String(joined.headers["set-cookie"]).split(";");
    const { db, now } = await service.store();
    const session = (await findSession(db, cookie.split("=")[1]!, now(), false))!;
    return { id: session.person.id, cookie, token: session.formToken, passkey };
  };

  const by = {} as Operators["by"];
  for (const role of roles) by[role] = await signIn(`${role}@example.com`, role);
  const entries: Operators["entries"] = async (kind) => {
    const { db } = await service.store();
    const rows = db.selectFrom("audit_entry").select(["actor", "facts"]).where("kind", "=", kind);
    return (await rows.orderBy("occurred_at").execute()).map(({ actor, facts }) => ({
      actor,
      facts: JSON.parse(facts),
    }));
  };
  return {
    ...client,
    service,
    by,
    invite,
    join,
    signIn,
    entries,
    refusals: async () => (await entries("console.refused")).map(({ facts }) => facts),
  };
}
