import type { StandInFailure } from "./stand-in.ts";

/** What a stand-in does with a look-up. */
export type StandInOutcome =
  | "found"
  | Exclude<StandInFailure, "no_credentials" | "no_route">
  | "other_phone"
  | "proxy_page"
  | "other_person"
  | "large_photo"
  | "slow"
  | "cut";

/** Outcomes by the last two digits of a number, for every vendor. Every other number is found. */
export const standInNumbers: Readonly<Record<string, { outcome: StandInOutcome; about: string }>> = {
  "01": { outcome: "not_found", about: "Nobody has the number." },
  "02": { outcome: "other_phone", about: "The record has another phone." },
  "03": { outcome: "blocked", about: "The number is blocked; not found, if the vendor documents nothing like it." },
  "04": { outcome: "no_money", about: "The wallet is empty." },
  "05": { outcome: "maintenance", about: "The service is under maintenance." },
  "06": { outcome: "too_many_requests", about: "Too many requests, with Retry-After." },
  "07": { outcome: "proxy_page", about: "A proxy answers 502 with an HTML page." },
  "08": { outcome: "other_person", about: "The record is another person's." },
  "09": { outcome: "large_photo", about: "The record has a photo of 3 MB." },
  "10": { outcome: "slow", about: "The record comes after 30 s." },
  "11": { outcome: "cut", about: "The connection is cut after the request." },
};

/**
 * The phone of everybody who is found, in the ten digits after the prefix: `80` and the last eight digits of the
 * number.
 */
export const phoneOfNumber = (number: string) => `80${number.slice(-8)}`;

/** The phone in a record with another phone, in the same form. */
export const otherPhoneOfNumber = (number: string) => `70${number.slice(-8)}`;

/** The number in the record of another person. */
export const otherNumber = (number: string) => `${number.slice(0, -2)}99`;
