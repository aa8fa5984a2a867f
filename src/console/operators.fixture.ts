import { request } from "node:http";
import type { Engine } from "../../test/support/engines.ts";
import { startService, type TestService } from "../../test/support/service.ts";
import { invitePerson } from "../access/people/people-rows.ts";
import { beginSession, findSession } from "../access/people/sessions.ts";
import { append } from "../audit/append.ts";
import { type Role, roles } from "../operation/command.ts";

export interface ConsoleSent {
  method?: string;
  headers?: Record<string, string>;
  body?: string;
  cookie?: string;
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
}

/** A service with a console, and somebody of each role who is signed in without a browser. */
export interface Operators {
  service: TestService;
  origin: string;
  /** `<role>@example.com`. */
  by: Record<Role, SignedInOperator>;
  signIn(email: string, role: Role): Promise<SignedInOperator>;
  send(path: string, sent?: ConsoleSent): Promise<ConsoleAnswer>;
  /** Sends a form of the operator. */
  post(
    path: string,
    who: SignedInOperator,
    fields: Record<string, string>,
    headers?: Record<string, string>,
  ): Promise<ConsoleAnswer>;
  /** What the audit trail says of refusals. */
  refusals(): Promise<{ person: string; reason: string; command?: string }[]>;
}

export const formType = { "Content-Type": "application/x-www-form-urlencoded" };

export async function startOperators(engine: Engine, settings: Record<string, string> = {}): Promise<Operators> {
  const service = await startService({ DUBA_CONSOLE: "127.0.0.1:0", ...settings }, engine);
  const { origin } = service.console!;
  const { port } = new URL(origin);

  const signIn = async (email: string, role: Role): Promise<SignedInOperator> => {
    const { db, now } = await service.store();
    const { person } = await invitePerson({ db, audit: append, actor: "terminal", now }, { email, role });
    const secret = await beginSession(db, person.id, now());
    const session = await findSession(db, secret, now(), false);
    return { id: person.id, cookie: `duba_console=${secret}`, token: session!.formToken };
  };
  const send: Operators["send"] = (path, { method = "GET", headers = {}, body, cookie } = {}) =>
    new Promise((resolve, reject) => {
      const all = { Host: `localhost:${port}`, ...(cookie && { Cookie: cookie }), ...headers };
      const asking = request({ host: "127.0.0.1", port, path, method, headers: all, agent: false }, (response) => {
        let text = "";
        response.setEncoding("utf8").on("data", (part: string) => {
          text += part;
        });
        response.on("end", () => resolve({ status: response.statusCode!, headers: response.headers, text }));
      });
      asking.on("error", reject).end(body);
    });

  const by = {} as Operators["by"];
  for (const role of roles) by[role] = await signIn(`${role}@example.com`, role);
  return {
    ...{ service, origin, by, signIn, send },
    post: (path, { cookie, token }, fields, headers = {}) => {
      const body = new URLSearchParams({ _token: token, ...fields }).toString();
      return send(path, { method: "POST", cookie, body, headers: { ...formType, Origin: origin, ...headers } });
    },
    async refusals() {
      const { db } = await service.store();
      const rows = await db.selectFrom("audit_entry").select("facts").where("kind", "=", "console.refused").execute();
      return rows.map(({ facts }) => JSON.parse(facts));
    },
  };
}
