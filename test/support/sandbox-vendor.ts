import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { failureBody } from "../../src/declare/answers/envelope.ts";
import { checkKinds } from "../../src/declare/check-kind.ts";
import { Failure } from "../../src/declare/failures.ts";
import { sandbox } from "../../src/vendors/sandbox/index.ts";
import { failureCodeOf } from "../../src/vendors/sandbox/numbers.ts";

export interface SandboxVendor {
  url: string;
  close(): void;
}

/** Starts a vendor that offers Duba's API to live keys, and answers as the sandbox does. */
export async function startSandboxVendor(): Promise<SandboxVendor> {
  const people = sandbox();
  const server = createServer(async (request, response) => {
    let text = "";
    for await (const chunk of request.setEncoding("utf8")) text += chunk;
    const { status, body } = await answerTo(request.url!, JSON.parse(text));
    response.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(body));
  });

  async function answerTo(path: string, person: Record<string, string>) {
    if (path === "/api/v2/merchant/authorization") {
      const token = { access_token: "t", token_type: "Bearer", expires_at: "2099-01-31 09:30:00" };
      return { status: 200, body: { success: true, data: { business_name: "Shop", token } } };
    }
    const signal = new AbortController().signal;
    const kind = checkKinds.find((kind) => path === `/api/v2/kyc/verify-${kind}`)!;
    const outcome = await people.verify({
      kind,
      number: person[kind]!,
      claims: { phone: person.phone!.slice(-10) },
      reference: "",
      signal,
    });
    if (outcome.state === "verified")
      return { status: 200, body: { success: true, data: { request_reference: "theirs", ...outcome.record } } };
    const failure = new Failure(failureCodeOf(outcome, kind));
    return { status: failure.status, body: failureBody(failure, "request") };
  }

  await once(server.listen(0, "127.0.0.1"), "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
