import Type, { type Static } from "typebox";
import type { Log } from "../runtime/log.ts";
import { type Day, parseDay } from "./days.ts";
import * as normalise from "./normalise.ts";
import type { IdentityAnswer } from "./ports/identity-upstream.ts";

/**
 * A member that a vendor may leave out, or give in a form that is not read: a paid answer is not thrown away for that.
 * A number in place of a text is read, since a lost leading zero shows in the BVN alone.
 */
export const mayLack = Type.Optional(Type.Unknown());

/** A member without which a record is nobody's. */
export const needed = Type.Union([Type.String(), Type.Number()]);

const name = Type.String({ pattern: "\\S" });
const aName = Type.Union([
  Type.Object({ first_name: name }),
  Type.Object({ last_name: name }),
  Type.Object({ full_name: name }),
]);

/** A record under the interface's own names. Without a BVN, a status and any name it is nobody's. */
export const LooseRecord = Type.Object({
  bvn_number: needed,
  name_on_card: mayLack,
  enrolment_branch: mayLack,
  enrolment_bank: mayLack,
  formatted_registration_date: mayLack,
  level_of_account: mayLack,
  nin: mayLack,
  watchlisted: mayLack,
  verification_status: needed,
  service_type: mayLack,
  personal_info: Type.Intersect([
    aName,
    Type.Object({
      first_name: mayLack,
      middle_name: mayLack,
      last_name: mayLack,
      full_name: mayLack,
      email: mayLack,
      gender: mayLack,
      phone_number: mayLack,
      phone_number_2: mayLack,
      date_of_birth: mayLack,
      formatted_date_of_birth: mayLack,
      lga_of_origin: mayLack,
      state_of_origin: mayLack,
      nationality: mayLack,
      marital_status: mayLack,
    }),
  ]),
  residential_info: mayLack,
});

/** Told of a member that was given and could not be read, and how it looks. */
type Unread = (member: string, shape: string) => void;

/** Tells the operator of members that could not be read, by their shape: nothing of the person. */
export function unreadOf(vendor: string, log: Log): Unread {
  return (member, shape) =>
    log.warn({ vendor, member, shape }, "A member of a vendor's record could not be read, and is left out");
}

/** The record in the interface's forms; what is missing is null where the interface allows null, else an empty text. */
export function toIdentityRecord(record: Static<typeof LooseRecord>, unread: Unread): IdentityAnswer {
  const { residential_info, ...rest } = record;
  const person: Partial<Record<string, unknown>> = record.personal_info;
  const home = (residential_info ?? {}) as Partial<Record<string, unknown>>;
  const day = (members: Record<string, unknown>): Day | undefined => {
    const given = Object.entries(members).filter(([, value]) => value !== null && value !== undefined && value !== "");
    const days = given.map(([member, value]) => {
      const day = typeof value === "string" ? parseDay(value) : undefined;
      if (!day) unread(member, normalise.maskedShape(value));
      return day;
    });
    return days.find((day) => day?.isPlain) ?? days.find((day) => day !== undefined);
  };
  const { date_of_birth, formatted_date_of_birth } = person;
  const birth = day({ date_of_birth, formatted_date_of_birth });
  const { formatted_registration_date } = rest;
  const registration = day({ formatted_registration_date });
  const watchlisted = normalise.watchlisted(rest.watchlisted);
  if (watchlisted === undefined) unread("watchlisted", normalise.maskedShape(rest.watchlisted));
  return {
    bvn_number: normalise.plain(rest.bvn_number),
    name_on_card: normalise.plain(rest.name_on_card),
    enrolment_branch: normalise.plain(rest.enrolment_branch),
    enrolment_bank: normalise.plain(rest.enrolment_bank),
    formatted_registration_date: registration ? normalise.longDate(registration) : null,
    level_of_account: normalise.levelOfAccount(rest.level_of_account),
    nin: normalise.plain(rest.nin),
    watchlisted: watchlisted ?? null,
    verification_status: normalise.plain(rest.verification_status),
    service_type: normalise.plain(rest.service_type) || "BVN Verification without Image",
    personal_info: {
      first_name: normalise.plain(person.first_name),
      middle_name: normalise.plain(person.middle_name),
      last_name: normalise.plain(person.last_name),
      full_name:
        normalise.plain(person.full_name) ||
        normalise.fullName(person.first_name, person.middle_name, person.last_name),
      email: normalise.plain(person.email),
      gender: normalise.gender(person.gender),
      phone_number: normalise.phone(person.phone_number),
      phone_number_2: normalise.phone(person.phone_number_2) || null,
      date_of_birth: birth ? normalise.shortDate(birth) : "",
      formatted_date_of_birth: birth ? normalise.longDate(birth) : "",
      lga_of_origin: normalise.plain(person.lga_of_origin),
      state_of_origin: normalise.state(person.state_of_origin),
      nationality: normalise.nationality(person.nationality),
      marital_status: normalise.capitalised(person.marital_status),
    },
    residential_info: {
      state_of_residence: normalise.state(home.state_of_residence),
      lga_of_residence: normalise.plain(home.lga_of_residence),
      residential_address: normalise.plain(home.residential_address),
    },
  };
}
