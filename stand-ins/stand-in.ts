/** The kind of number in a look-up: `bvn`, `nin`, or another kind of Duba. */
export type Kind = string;

/** An invented person of a BVN or NIN, with the members of a record of Duba. */
export interface Person {
  name_on_card: string;
  enrolment_branch: string;
  enrolment_bank: string;
  formatted_registration_date: string | null;
  level_of_account: string;
  nin: string;
  watchlisted: string | null;
  personal_info: Readonly<
    Record<
      | "first_name"
      | "middle_name"
      | "last_name"
      | "full_name"
      | "email"
      | "gender"
      | "phone_number"
      | "date_of_birth"
      | "formatted_date_of_birth"
      | "lga_of_origin"
      | "state_of_origin"
      | "nationality"
      | "marital_status",
      string
    >
  > & { phone_number_2: string | null };
  residential_info: Readonly<Record<"state_of_residence" | "lga_of_residence" | "residential_address", string>>;
}

/** A request that a stand-in received. */
export interface StandInRequest {
  method: string;
  /** Without the query. */
  path: string;
  query: URLSearchParams;
  /** By lower-case name. */
  headers: Readonly<Partial<Record<string, string | string[]>>>;
  /** Members of the body, which is JSON or a form; none without a body. */
  body: Readonly<Partial<Record<string, unknown>>>;
}

/** A look-up. */
export interface StandInAttempt {
  kind: Kind;
  number: string;
  /** The vendor's reference of its response. */
  reference: string;
  /** Further members of the request, by Duba's names. Default: the `phone` that belongs to the number. */
  claims?: Readonly<Record<string, string>>;
}

/** A vendor's response: a status, and the members of the body. */
export interface StandInResponse {
  status: number;
  body: object;
}

/** A vendor's answers without a record. `no_route`: the vendor does not serve the path. */
export type StandInFailure =
  | "not_found"
  | "blocked"
  | "no_money"
  | "maintenance"
  | "too_many_requests"
  | "no_credentials"
  | "no_route";

/** The wire format of a vendor's stand-in: data and pure functions. `Found`: a record of Duba. */
export interface StandIn<Found extends object = Person> {
  /** The path of the address in Duba's settings, such as `/v2`. */
  base?: string;
  /** Its answers are forms, not JSON. */
  form?: true;
  /** Settings of a rehearsal besides the address and the credentials, by name. */
  settings?: Readonly<Record<string, string>>;
  /** Whether a request has credentials in the documented form. Their values do not matter. */
  hasCredentials(request: StandInRequest): boolean;
  /** The response to a request that is no look-up and is not billed, such as one for an access token. */
  beside?(request: StandInRequest): StandInResponse | undefined;
  /** The look-up in a request; undefined if the vendor has no such path. */
  asked(request: StandInRequest): Pick<StandInAttempt, "kind" | "number" | "claims"> | undefined;
  /** The vendor's reference, made of a UUID or of the request. Default: the UUID. */
  referenceOf?(uuid: string, request: StandInRequest): string;
  /** The vendor's published response with a record, about this person or thing. `photo` is base64. */
  found(record: Found, asked: StandInAttempt, photo: string): object;
  /** The vendor's documented failures. Without `blocked`, a stand-in answers "not found" for a blocked number. */
  failures: Readonly<
    Record<Exclude<StandInFailure, "blocked">, (asked: StandInAttempt) => StandInResponse> &
      Partial<Record<"blocked", (asked: StandInAttempt) => StandInResponse>>
  >;
  /** Failures that say that the vendor bills nothing. */
  free?: readonly StandInFailure[];
  /**
   * Failures, besides `no_money` and `too_many_requests`, after which the vendor did no work. Billed only if a price
   * says so.
   */
  refuses?: readonly StandInFailure[];
}

/** The same response, whatever was asked. */
export const always = (status: number, body: object) => () => ({ status, body });

/**
 * A published response with another person, number and reference: each member that `values` names, at any depth, gets
 * the new value unless it is an object or a list.
 */
export function filled<Sample extends object>(sample: Sample, values: Readonly<Record<string, unknown>>): Sample {
  const entries = Object.entries(sample).map(([name, value]) => {
    if (typeof value === "object" && value !== null) return [name, filled(value, values)];
    return [name, name in values ? values[name] : value];
  });
  return Array.isArray(sample) ? sample : Object.fromEntries(entries);
}

/** A person's day of birth, as `1995-11-20`. */
export function birthDay({ personal_info: { formatted_date_of_birth: text } }: Person): string {
  return new Date(`${text} UTC`).toISOString().slice(0, 10);
}

/** The day of birth as `20-11-1995`. */
export const birthDate = (person: Person) => birthDay(person).split("-").reverse().join("-");
