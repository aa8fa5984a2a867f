import { randomUUID } from "node:crypto";
import { Agent, type OutgoingHttpHeaders, request } from "node:http";
import { benchKey } from "./settings.ts";

export interface Answer {
  rawHeaders: string[];
  body: Buffer;
}

export interface Person {
  bvn: string;
  phone: string;
}

let verified = 0;

/** Sends requests to one server with one key, over connections that stay open. Rejects if the status is not 200. */
export class Client {
  readonly #url: string;
  readonly #key: string;
  readonly #agent = new Agent({ keepAlive: true });

  constructor(url: string, key = benchKey) {
    this.#url = url;
    this.#key = key;
  }

  get(path: string): Promise<Answer> {
    return this.#ask("GET", path, {});
  }

  /** Verifies as an integrator does: with an idempotency key, and by default with a BVN that no earlier request had. */
  verify(person?: Person): Promise<Answer> {
    verified += 1;
    const { bvn, phone } = person ?? { bvn: String(30_000_000_000 + verified), phone: "08000000017" };
    const body = JSON.stringify({ bvn, phone, amount: "100" });
    const headers = {
      "Content-Type": "application/json",
      "Content-Length": body.length,
      "Idempotency-Key": randomUUID(),
    };
    return this.#ask("POST", "/api/v2/kyc/verify-bvn", headers, body);
  }

  close(): void {
    this.#agent.destroy();
  }

  #ask(method: string, path: string, headers: OutgoingHttpHeaders, body?: string): Promise<Answer> {
    const options = { method, agent: this.#agent, headers: { Authorization: `Bearer ${this.#key}`, ...headers } };
    return new Promise((resolve, reject) => {
      const asking = request(this.#url + path, options, (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk) => chunks.push(chunk));
        response.on("error", reject);
        response.on("end", () => {
          const answer = { rawHeaders: response.rawHeaders, body: Buffer.concat(chunks) };
          if (response.statusCode === 200) resolve(answer);
          else reject(new Error(`${method} ${path} was answered ${response.statusCode}: ${answer.body}`));
        });
      });
      asking.on("error", reject);
      asking.end(body);
    });
  }
}
