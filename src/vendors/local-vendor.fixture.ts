import { generateKeyPairSync, sign } from "node:crypto";
import { once } from "node:events";
import {
  createServer as createHttpServer,
  type IncomingHttpHeaders,
  type Server,
  type ServerResponse,
} from "node:http";
import { createServer as createHttpsServer } from "node:https";
import type { AddressInfo, Socket } from "node:net";

/** A request that a vendor received. */
export interface Received {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
}

/** How the vendor reacts to a request. */
export type Behaviour = (response: ServerResponse, received: Received) => void;

export const json =
  (status: number, body: unknown, headers: Record<string, string> = {}): Behaviour =>
  (response) =>
    void response.writeHead(status, { "Content-Type": "application/json", ...headers }).end(JSON.stringify(body));

export const text =
  (status: number, type: string, body: string, headers: Record<string, string> = {}): Behaviour =>
  (response) =>
    void response.writeHead(status, { "Content-Type": type, ...headers }).end(body);

/** A local server in place of a vendor. */
export class LocalVendor {
  readonly received: Received[] = [];
  readonly url: string;
  connections = 0;
  behaviour: Behaviour = json(500, {});
  /** Called with each new connection before anything is read from it. */
  welcome: (socket: Socket) => void = () => {};
  readonly #server: Server;
  readonly #arrivals: (() => void)[] = [];

  private constructor(server: Server, scheme: "http" | "https") {
    this.#server = server;
    this.url = `${scheme}://127.0.0.1:${(server.address() as AddressInfo).port}`;
    server.on("connection", (socket: Socket) => {
      this.connections += 1;
      this.welcome(socket);
    });
    server.on("request", async (request, response: ServerResponse) => {
      let body = "";
      for await (const chunk of request.setEncoding("utf8")) body += chunk;
      const received = { method: request.method!, path: request.url!, headers: request.headers, body };
      this.received.push(received);
      for (const arrived of this.#arrivals.splice(0)) arrived();
      this.behaviour(response, received);
    });
  }

  static async start(scheme: "http" | "https" = "http"): Promise<LocalVendor> {
    const server = scheme === "http" ? createHttpServer() : (createHttpsServer(selfSigned()) as unknown as Server);
    await once(server.listen(0, "127.0.0.1"), "listening");
    return new LocalVendor(server, scheme);
  }

  /** Resolves when the server has received `count` requests. */
  async asked(count: number): Promise<void> {
    while (this.received.length < count) await new Promise<void>((resolve) => this.#arrivals.push(resolve));
  }

  async close(): Promise<void> {
    if (!this.#server.listening) return;
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
  }
}

/** Makes a self-signed certificate. */
function selfSigned(): { key: string; cert: string } {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const ecdsaWithSha256 = der(0x30, Buffer.from("06082a8648ce3d040302", "hex"));
  const name = der(0x30, der(0x31, der(0x30, Buffer.from("0603550403", "hex"), der(0x0c, Buffer.from("127.0.0.1")))));
  const validity = der(0x30, der(0x17, Buffer.from("200101000000Z")), der(0x17, Buffer.from("491231000000Z")));
  const content = der(
    0x30,
    der(0x02, Buffer.from([1])),
    ecdsaWithSha256,
    name,
    validity,
    name,
    publicKey.export({ type: "spki", format: "der" }),
  );
  const signature = der(0x03, Buffer.from([0]), sign("sha256", content, privateKey));
  const certificate = der(0x30, content, ecdsaWithSha256, signature).toString("base64");
  return {
    key: privateKey.export({ type: "pkcs8", format: "pem" }) as string,
    cert: `-----BEGIN CERTIFICATE-----\n${certificate.match(/.{1,64}/g)!.join("\n")}\n-----END CERTIFICATE-----\n`,
  };
}

/** Encodes one ASN.1 element in DER. */
function der(tag: number, ...contents: Buffer[]): Buffer {
  const content = Buffer.concat(contents);
  const { length } = content;
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}
