import type { Static, TObject } from "typebox";
import { warnedPercent } from "./account-terms.ts";
import { checkKinds, negativeReasons } from "./check-kind.ts";
import type { Scope } from "./operation.ts";
import Type from "./schema/type.ts";
import type { Version } from "./versions.ts";

interface EventDescription<Data extends TObject> {
  /** One sentence about what happened. */
  summary: string;
  /** The version that added the type. Default: the first version. */
  since?: Version;
  /** The scope that a key needs to read these events. Null: every key of the account may. */
  scope: Scope | null;
  /** True: accounts do not receive these events. */
  isForOperators?: true;
  /** The schema of an event's data: ids and states, no personal data. */
  data: Data;
  example: Static<Data>;
}

const describe = <Data extends TObject>(description: EventDescription<Data>): EventDescription<Data> => description;

const described = (description?: string) => (description === undefined ? {} : { description });
const time = () => Type.String({ format: "date-time" });
const id = (description?: string) => Type.String({ pattern: "^[!-~]{1,64}$", ...described(description) });
const count = (description?: string) => Type.Integer({ minimum: 0, ...described(description) });
const orNull = <Schema extends TObject["properties"][string]>(schema: Schema) => Type.Union([schema, Type.Null()]);

const chargeChange = Type.Object({
  request_reference: orNull(id("Null: a correction that concerns no single verification")),
  kind: orNull(Type.Enum([...checkKinds])),
  fee: Type.String({ description: "Naira" }),
  charged_at: time(),
});
const chargeExample = {
  request_reference: "3wKwKW719640695",
  kind: "bvn" as const,
  fee: "100",
  charged_at: "2026-11-02T09:30:00.000Z",
};

/** The event types that webhooks and `GET /api/v2/events` report. */
export const eventTypes = {
  "verification.settled": describe({
    summary: "A verification whose outcome was unknown has an outcome now.",
    scope: "identity:verify",
    data: Type.Object({
      request_reference: id(),
      kind: Type.Enum([...checkKinds]),
      state: Type.Enum(["verified", ...negativeReasons, "failed"]),
      charged: Type.Boolean(),
    }),
    example: { request_reference: "3wKwKW719640695", kind: "bvn", state: "not_found", charged: false },
  }),
  "verification.charged": describe({
    summary: "The fee of a verification was charged after an event told of its outcome, or a correction charges it.",
    scope: "identity:verify",
    data: chargeChange,
    example: chargeExample,
  }),
  "verification.reversed": describe({
    summary:
      "The charge of a verification was taken back, since its record was not given, or a correction takes it back.",
    scope: "identity:verify",
    data: chargeChange,
    example: chargeExample,
  }),
  "catalogue.published": describe({
    summary:
      "A new revision of the catalogue is served. " +
      "If only special prices changed, only the accounts that pay them get it.",
    scope: "catalogue:read",
    data: Type.Object({
      revision: count(),
      added: count(),
      modified: count(),
      removed: count(),
      changes: id("Path of the changes, which `listCatalogueChanges` answers"),
    }),
    example: {
      revision: 7,
      added: 0,
      modified: 12,
      removed: 1,
      changes: "/api/v2/catalogue/changes?after=6-9f2c61b0a7",
    },
  }),
  "price.scheduled": describe({
    summary: "Prices will change at a later time. `listCatalogueChanges` shows them as scheduled.",
    scope: "catalogue:read",
    data: Type.Object({
      draft: id(),
      holds_from: time(),
      prices: count("Entries whose price will differ"),
    }),
    example: { draft: "d7", holds_from: "2026-12-01T00:00:00.000Z", prices: 12 },
  }),
  "key.expiring": describe({
    summary: "An API key ends within 14 days, and no newer key of the account replaces it.",
    scope: null,
    data: Type.Object({ key: id(), expires_at: time() }),
    example: { key: "4Zq8mPx0LtV2", expires_at: "2026-12-01T00:00:00.000Z" },
  }),
  "key.revoked": describe({
    summary: "An API key was revoked.",
    scope: null,
    data: Type.Object({ key: id(), revoked_at: time() }),
    example: { key: "4Zq8mPx0LtV2", revoked_at: "2026-11-01T09:30:00.000Z" },
  }),
  "account.cap_warning": describe({
    summary:
      `The account has used ${warnedPercent} % of its monthly cap, ` +
      `or has less than ${100 - warnedPercent} % of its last top-up left; or all of it.`,
    scope: "identity:verify",
    data: Type.Object({
      terms: Type.Enum(["cap", "balance"], { description: "What is nearly used up" }),
      month: orNull(id()),
      used_up: Type.Boolean({ description: "Verifications are refused" }),
    }),
    example: { terms: "cap", month: "2026-11", used_up: false },
  }),
  "vendor.alarm": describe({
    summary: "An identity vendor has an alarm, or has it no longer. Only operators get these events.",
    scope: null,
    isForOperators: true,
    data: Type.Object({
      vendor: id(),
      alarm: orNull(id("The alarm, as `duba upstreams status` names it; null: it is over")),
    }),
    example: { vendor: "dojah", alarm: "no_money" },
  }),
};

export type EventType = keyof typeof eventTypes;
export type EventData<Type extends EventType> = Static<(typeof eventTypes)[Type]["data"]>;

export const eventTypeNames = Object.keys(eventTypes) as EventType[];
/** Event types that accounts receive. */
export const accountEventTypes = eventTypeNames.filter((type) => !eventTypes[type].isForOperators);

/** Returns a label for people: "Key revoked" for `key.revoked`. */
export function eventText(type: string): string {
  const words = type
    .replace(/^console\./, "")
    .replace(/^route\./, "vendor ")
    .replaceAll(/[._]/g, " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}
