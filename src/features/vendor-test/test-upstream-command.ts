import { randomUUID } from "node:crypto";
import type { Transaction } from "kysely";
import type { CheckInput } from "../../checks/check.ts";
import { accessTrail } from "../../declare/access-trail.ts";
import type { AccountTerms } from "../../declare/account-terms.ts";
import { anyClaim, anyLabel, type CheckKind, checkKinds, labelOf, type OwnFees } from "../../declare/check-kind.ts";
import { orNull, reference } from "../../declare/command/answer-schema.ts";
import { flag, formed, InputError } from "../../declare/command/read-texts.ts";
import { richText } from "../../declare/command/rich-text.ts";
import { CommandError, command } from "../../declare/command.ts";
import { Failure } from "../../declare/failures.ts";
import { nairaText } from "../../declare/money.ts";
import Type from "../../declare/schema/type.ts";
import type { Keyring } from "../../keyring/keyring.ts";
import { anyNumber, besideNumber, inputFrom, wholeRequest } from "../../ledger/commands/check-members.ts";
import { amountFor, vendorPriceOf } from "../../ledger/fees.ts";
import type { IdentitySettings } from "../../ledger/identity-settings.ts";
import { publicState } from "../../ledger/public-state.ts";
import type { Log } from "../../runtime/log.ts";
import { type Audited, inTransaction, type WithClock } from "../../storage/audited.ts";
import type { Tables } from "../../storage/tables.ts";
import type { openLive } from "../../vendors/open-vendors.ts";
import { isSandbox, missingOf, type VendorValues } from "../../vendors/ports/vendor.ts";
import { vendors } from "../../vendors/registry.ts";
import { unfitFor } from "../../verification/attempts/whom-to-ask.ts";
import { vendorChoice } from "../../verification/commands/vendor-states.ts";
import { consentReferenceOf } from "../../verification/operations/request-headers.ts";
import { claimStore } from "../../verification/stand-in-store.ts";
import { vendorTestTrail } from "./vendor-test-trail.ts";

type LiveOptions = Parameters<typeof openLive>[2];

interface Room extends Audited, WithClock {
  config: {
    vendors: Readonly<Record<string, VendorValues>>;
    upstream: Omit<LiveOptions, "timeouts" | "log" | "standIns"> & { standIns: boolean };
    vendorTimeouts: LiveOptions["timeouts"];
  };
  log: Log;
  verificationSettings(): IdentitySettings;
  keyring(): Promise<{ ring: Keyring }>;
  operatorAccount(trx: Transaction<Tables>): Promise<{ id: string; fees: OwnFees; terms: AccountTerms }>;
}

/** The consent reference for a published test number, which belongs to nobody. */
const published = "published-test-number";

/** The other members are the claims. */
interface Asked extends Readonly<Record<string, unknown>> {
  name: string;
  kind: CheckKind;
  number?: string | undefined;
  consent?: string | undefined;
}

/** Builds the verification for the vendor. Throws an `InputError` if a setting or an input is missing or wrong. */
async function verificationOf(
  { name, kind, number, consent, ...claims }: Asked,
  { config, verificationSettings }: Pick<Room, "config" | "verificationSettings">,
): Promise<{ person: CheckInput; consentReference: string | undefined; settings: IdentitySettings }> {
  const vendor = vendors.find((vendor) => vendor.name === name)!;
  const missing = missingOf(vendor, config.vendors[name]!);
  if (missing.length > 0) throw new InputError(`${name} is not set up. Set ${missing.join(", ")}.`);
  const person = number ? inputFrom({ ...claims, kind, number }, wholeRequest) : await vendor.testInput?.();
  if (!person)
    throw new InputError(
      `${name} has no published test number. Give the number and the phone of a person that you may verify.`,
    );
  const settings = verificationSettings();
  const consentReference = consent ?? (number ? undefined : published);
  if (settings.consentRequired && consentReference === undefined)
    throw new InputError([{ field: "consent", message: "is required (DUBA_CONSENT)" }]);
  if (consentReference !== undefined) checkConsent(consentReference, person);
  return { person, consentReference, settings };
}

function checkConsent(text: string, person: CheckInput): void {
  try {
    consentReferenceOf(text, person);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    const { message } = error.detail.fields![0]!;
    throw new InputError([{ field: "consent", message: message.replace(/^Consent-Reference |\.$/g, "") }]);
  }
}

export const testUpstream = command({
  id: "upstreams.test",
  title: "Try…",
  summary: "Verify one person at an identity vendor: by default the test number that the vendor published.",
  description:
    "It is a verification like those of clients, of the account operator@example.com, which pays nothing and may " +
    "verify 20 times a day. Duba neither shows nor stores the record. The vendor may charge you. " +
    "A paused vendor is asked too.",
  onTerminal: `With --ask, Duba reads the number and the ${anyClaim} from standard input, one on each line.`,
  role: "operator",
  kind: "change",
  gives: "money",
  calls: true,
  records: [accessTrail.accountCreated, vendorTestTrail.vendorTested],
  target: ["name"],
  input: Type.Object({
    name: vendorChoice("The identity vendor."),
    ask: flag(`Ask about another person, whose ${anyLabel} and ${anyClaim} you give.`),
    kind: Type.Enum([...checkKinds], { description: "Which number you give.", default: "bvn" }),
    consent: Type.Optional(
      Type.String({ description: "Your handle for the consent of the person; kept on the ledger." }),
    ),
    number: Type.Optional(formed(anyNumber, { description: `${anyLabel} of the person.`, private: true, with: "ask" })),
    ...besideNumber(wholeRequest, { with: "ask" }),
  }),
  answer: Type.Object({
    name: Type.String(),
    outcome: Type.String(),
    reason: orNull(Type.String()),
    reference,
    milliseconds: Type.Integer(),
  }),
  view: ({ name, outcome, reason, reference, milliseconds }) => [
    {
      text: richText`${{ vendor: name }}, after ${milliseconds} ms: ${outcomeText(outcome, reason)} Its verification is ${reference}.`,
    },
  ],
  isWell: ({ outcome }) => !["failed", "unknown", "started"].includes(outcome),
  examples: [{ name: "dojah" }],
  effect: async (input, room: Room) => {
    const { person, settings } = await verificationOf(input as Asked, room);
    const price = vendorPriceOf(input.name, person.kind, settings);
    return {
      says: [
        price === null
          ? richText`${{ vendor: input.name }} may bill it.`
          : richText`${{ vendor: input.name }} bills ${nairaText(price)} for it.`,
      ],
    };
  },
  run: async ({ ask: _, ...input }, room: Room) => {
    const { db, now, audit, actor, config, log } = room;
    const { name } = input;
    const { person, consentReference, settings } = await verificationOf(input as Asked, room);
    const isTrial = isSandbox(config.vendors[name]!);
    const { openLive } = await import("../../vendors/open-vendors.ts");
    const live = await openLive([name], config.vendors, { ...config.upstream, timeouts: config.vendorTimeouts, log });
    try {
      const upstream = live.upstreams[0]!;
      const unfit = unfitFor(
        upstream,
        { ...person, ...(consentReference !== undefined && { consentReference }) },
        settings,
      );
      if (unfit) throw new InputError(unfitText(name, person.kind, unfit));
      const { ring } = await room.keyring();
      if (!isTrial) await claimStore(db, { standIns: config.upstream.standIns, upstreams: [name] }, now());
      const requestId = randomUUID();
      const account = await inTransaction(db, async (trx) => {
        const account = await room.operatorAccount(trx);
        const facts = { vendor: name, kind: person.kind, account: account.id, request: requestId };
        await audit(trx, vendorTestTrail.vendorTested(actor, facts));
        return account;
      });
      const { verifyOnce } = await import("./verify-once.ts");
      const begun = performance.now();
      const { row, because } = await verifyOnce(
        upstream,
        { db, keyring: { current: ring }, settings, now, log },
        {
          ...person,
          accountId: account.id,
          keyId: actor,
          mode: isTrial ? "test" : "live",
          answers: "full",
          fees: account.fees,
          terms: account.terms,
          amount: amountFor(0),
          requestId,
          ...(consentReference !== undefined && { consentReference }),
        },
      );
      const milliseconds = Math.round(performance.now() - begun);
      const reason = row.reason ?? row.attempts.at(-1)?.reason ?? because;
      return { name, outcome: publicState(row), reason, reference: row.reference, milliseconds };
    } catch (error) {
      throw error instanceof Failure ? new CommandError(error.message) : error;
    } finally {
      live.close();
    }
  },
});

function unfitText(name: string, kind: CheckKind, unfit: NonNullable<ReturnType<typeof unfitFor>>): string {
  if (unfit === "other_kind") return `${name} does not verify a ${labelOf(kind)}.`;
  return unfit === "needs_consent"
    ? `${name} needs the consent of the person: say that you have it.`
    : `${name} needs the names of the person, which Duba sends to no vendor. See docs/vendors/${name}.md.`;
}

const worksTexts: Readonly<Record<string, string>> = {
  verified: "verified. It works.",
  not_found: "the vendor does not know the number. It works.",
  phone_mismatch: "the phone number is not in the record. It works.",
  blocked: "the vendor says that the number is blocked. It works.",
};

/** An outcome as a sentence, without personal data. */
function outcomeText(outcome: string, reason: string | null): string {
  const works = worksTexts[outcome];
  if (works) return works;
  if (outcome !== "failed") return "the outcome is unknown.";
  if (reason === "bad_response") return "the response was invalid.";
  return `the vendor did not process the call (${reason ?? "no reason"}).`;
}
