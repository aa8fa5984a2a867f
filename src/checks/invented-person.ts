import { hash } from "node:crypto";
import banks from "../../data/people/banks.json" with { type: "json" };
import familyNames from "../../data/people/family-names.json" with { type: "json" };
import givenNames from "../../data/people/given-names.json" with { type: "json" };
import areas from "../../data/people/local-government-areas.json" with { type: "json" };
import streets from "../../data/people/streets.json" with { type: "json" };
import { labelOf, numberMember, type PersonKind } from "../declare/check-kind.ts";
import { longDate, type PersonRecord, shortDate } from "../declare/identity-record.ts";

/** Ages are relative to this year, so that a person never changes with the calendar. */
export const referenceYear = 2025;

const days = 24 * 60 * 60 * 1000;
const lastDay = Date.UTC(referenceYear, 11, 31);
/** Everybody is 18 to 80 on every day of the reference year. */
const eldestBirth = Date.UTC(referenceYear - 80, 0, 1);
const youngestBirth = Date.UTC(referenceYear - 19, 11, 31);
/** Enrolment of bank customers began in 2014; the first whole year is 2015. */
const firstEnrolment = Date.UTC(2015, 0, 1);

const ofGender = (gender: "Male" | "Female") =>
  givenNames.filter((entry) => entry.gender === gender).map(({ name }) => name.toUpperCase());
const givenOf = { Male: ofGender("Male"), Female: ofGender("Female") };

const levels = ["Level 1 - Low Level Accounts", "Level 2 - Medium Level Accounts"] as const;

/**
 * The sandbox's person of a number, in the forms of a published sample record: names and branch in capitals, the card
 * as LAST MIDDLE FIRST, phones in the 0-form. A number gives an identical person in every process, on every day and
 * machine. `phone` (ten digits) becomes the person's own, because every phone matches in the sandbox.
 */
export function inventedPerson(kind: PersonKind, number: string, phone: string): PersonRecord {
  const isBvn = kind === "bvn";
  const { draw, oneOf, digits, dayFrom } = drawsOf(isBvn ? number : `${kind} ${number}`);

  const gender = oneOf("gender", ["Male", "Female"] as const);
  const given = givenOf[gender];
  const firstAt = draw("first name", given.length);
  const first = given[firstAt]!;
  const another = draw("middle name", given.length - 1);
  const middle = given[another < firstAt ? another : another + 1]!;
  const last = oneOf("last name", familyNames).name.toUpperCase();
  const birth = dayFrom("birth", eldestBirth, youngestBirth);
  const adult = Date.UTC(birth.getUTCFullYear() + 18, birth.getUTCMonth(), birth.getUTCDate());
  const registration = dayFrom("registration", Math.max(firstEnrolment, adult), lastDay);
  const origin = oneOf("origin", areas);
  const residence = oneOf("residence", areas);

  return {
    bvn_number: "",
    name_on_card: `${last} ${middle} ${first}`,
    // Only a BVN has an enrolment at a bank.
    enrolment_branch: isBvn ? residence.lga.toUpperCase() : "",
    enrolment_bank: isBvn ? oneOf("bank", banks).code : "",
    formatted_registration_date: isBvn && draw("has registration", 2) ? longDate(dayOf(registration)) : null,
    level_of_account: isBvn ? oneOf("level", levels) : "",
    // The leading zeros reveal clients that store the NIN as a number.
    nin: draw("has nin", 4) ? `00${digits("nin", 9)}` : "",
    watchlisted: oneOf("watchlisted", [null, "NO"]),
    verification_status: "VERIFIED",
    service_type: `${labelOf(kind)} Verification without Image`,
    personal_info: {
      first_name: first,
      middle_name: middle,
      last_name: last,
      full_name: `${first} ${middle} ${last}`,
      email: draw("has email", 2) ? `${first}.${last}@example.com`.toLowerCase() : "",
      gender,
      phone_number: `0${phone}`,
      // 0800 numbers are toll-free lines, so this is never a person's own phone.
      phone_number_2: draw("has second phone", 2) ? `0800${digits("second phone", 7)}` : null,
      date_of_birth: shortDate(dayOf(birth)),
      formatted_date_of_birth: longDate(dayOf(birth)),
      lga_of_origin: origin.lga,
      state_of_origin: origin.state,
      nationality: "Nigeria",
      marital_status: oneOf("marital status", ["Single", "Married"]),
    },
    residential_info: {
      state_of_residence: residence.state,
      lga_of_residence: residence.lga,
      residential_address: `${draw("house", 150) + 1} ${oneOf("street", streets)}, ${residence.lga}`,
    },
    [numberMember(kind)]: number,
  };
}

/** Random draws from a seed. Each trait has its own draw, so that a new trait does not change existing ones. */
function drawsOf(seed: string) {
  const draw = (trait: string, below: number) =>
    Number.parseInt(hash("sha256", `${seed} ${trait}`).slice(0, 12), 16) % below;
  const oneOf = <Item>(trait: string, items: readonly Item[]) => items[draw(trait, items.length)]!;
  const digits = (trait: string, count: number) => String(draw(trait, 10 ** count)).padStart(count, "0");
  const dayFrom = (trait: string, first: number, last: number) =>
    new Date(first + draw(trait, (last - first) / days + 1) * days);
  return { draw, oneOf, digits, dayFrom };
}

function dayOf(date: Date) {
  return { day: date.getUTCDate(), month: date.getUTCMonth(), year: date.getUTCFullYear() };
}
