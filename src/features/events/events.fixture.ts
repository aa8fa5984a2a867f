import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, mock } from "node:test";
import type { Kysely } from "kysely";
import { Webhook } from "standardwebhooks";
import type { Engine, FreshSettings } from "../../../test/support/engines.ts";
import { type FreshStore, freshStore } from "../../../test/support/fresh-store.ts";
import type { EventType } from "../../declare/event.ts";
import type { Mode } from "../../declare/operation.ts";
import type { Keyring } from "../../keyring/keyring.ts";
import { addressList } from "../../runtime/network/address.ts";
import { RecordedLog } from "../../runtime/recorded-log.fixture.ts";
import { announce } from "../../storage/events/announce.ts";
import type { Tables } from "../../storage/tables.ts";
import { Deliverer, type DeliveryParts } from "./deliver.ts";
import { addEndpoint, type EndpointPlace } from "./endpoints.ts";

/** One delivery, as a receiver got it. */
export interface ReceivedDelivery {
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
}

/** A receiver's reaction to a delivery: a status, a redirect, silence, or a response that breaks off. */
type Behaviour = number | { redirect: string } | "hang" | "break" | ((response: ServerResponse) => void);

/** A receiver of webhooks, on this machine. */
export interface Receiver {
  url: string;
  received: ReceivedDelivery[];
  /** The ids of the events, in the order of their arrival. */
  ids(): string[];
  behaves: (delivery: ReceivedDelivery) => Behaviour;
  close(): void;
}

export async function openReceiver(port = 0): Promise<Receiver> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const delivery = { path: request.url!, headers: request.headers, body: Buffer.concat(chunks).toString() };
      receiver.received.push(delivery);
      const does = receiver.behaves(delivery);
      if (typeof does === "number") response.writeHead(does).end("ok");
      else if (typeof does === "function") does(response);
      else if (typeof does === "object") response.writeHead(302, { Location: does.redirect }).end();
      else if (does === "break")
        response.writeHead(200, { "Content-Length": 100 }).write("half", () => response.socket!.destroy());
    });
    request.on("error", () => undefined);
  });
  await once(server.listen(port, "127.0.0.1"), "listening");
  const receiver: Receiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    received: [],
    ids: () => receiver.received.map(({ headers }) => String(headers["webhook-id"])),
    behaves: () => 204,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
  return receiver;
}

/**
 * Reads a delivery with the specification's own library, at the time of the delivery. Throws if the library refuses the
 * delivery.
 */
export function readDelivery(secret: string, { headers, body }: Pick<ReceivedDelivery, "headers" | "body">): unknown {
  mock.timers.enable({ apis: ["Date"], now: Number(headers["webhook-timestamp"]) * 1000 });
  try {
    return new Webhook(secret).verify(body, headers as Record<string, string>);
  } finally {
    mock.timers.reset();
  }
}

export const eventKeyring: Keyring = {
  hmac: [{ version: 1, key: randomBytes(32) }],
  records: [{ id: "r1", key: randomBytes(32) }],
  audit: randomBytes(32),
};

export const loopback = addressList(["127.0.0.0/8", "::1"]);

/** A store for the tests of one suite, with a clock that the tests set. */
export interface EventStore {
  readonly db: Kysely<Tables>;
  readonly settings: FreshSettings;
  readonly log: RecordedLog;
  /** Milliseconds since 1970. */
  at: number;
  /** Returns the resources of changes to endpoints. */
  place(): EndpointPlace;
  deliverer(changes?: Partial<DeliveryParts>): Deliverer;
  endpoint(
    account: string | null,
    url: string,
    types?: EventType[],
    mode?: Mode,
  ): Promise<{ id: string; secret: string }>;
  /** Announces that a key of the account was revoked, and returns the event's id. */
  event(account: string, mode?: Mode): Promise<string>;
  delivery(endpoint: string, event: string): Promise<Tables["event_delivery"]>;
}

export function eventStore(engine: Engine): EventStore {
  let fresh: FreshStore;
  let keys = 0;
  before(async () => {
    fresh = await freshStore(undefined, engine, { serving: false });
  });
  after(() => fresh.close());
  const store: EventStore = {
    get db() {
      return fresh.store.db;
    },
    get settings() {
      return fresh.settings;
    },
    log: new RecordedLog(),
    at: Date.UTC(2026, 10, 1),
    place: () => ({
      db: fresh.store.db,
      audit: async () => {},
      actor: "test",
      keyring: eventKeyring,
      now: store.at,
    }),
    deliverer: (changes) =>
      new Deliverer({
        db: fresh.store.db,
        keyring: { current: eventKeyring },
        networks: loopback,
        log: store.log,
        instance: randomBytes(6).toString("hex"),
        audit: async () => {},
        now: () => store.at,
        ...changes,
      }),
    async endpoint(accountId, url, types = [], mode = "test") {
      const itsMode = accountId === null ? null : mode;
      const { row, secret } = await addEndpoint(store.place(), { accountId, mode: itsMode, url: new URL(url), types });
      return { id: row.id, secret };
    },
    async event(audience, mode = "test") {
      keys += 1;
      const data = { key: `key_${keys}`, revoked_at: new Date(store.at).toISOString() };
      await announce(fresh.store.db, { type: "key.revoked", audience, mode, about: data.key, data, at: store.at });
      const newest = fresh.store.db.selectFrom("event").select("id").orderBy("number", "desc").limit(1);
      return (await newest.executeTakeFirstOrThrow()).id;
    },
    async delivery(endpoint, event) {
      return fresh.store.db
        .selectFrom("event_delivery")
        .innerJoin("event", "event.number", "event_delivery.number")
        .selectAll("event_delivery")
        .where("endpoint_id", "=", endpoint)
        .where("event.id", "=", event)
        .executeTakeFirstOrThrow();
    },
  };
  return store;
}

/** One round: starts all due deliveries and waits for their end. */
export async function round(...deliverers: Deliverer[]): Promise<void> {
  await Promise.all(deliverers.map((deliverer) => deliverer.begin()));
  await Promise.all(deliverers.map((deliverer) => deliverer.idle()));
}
