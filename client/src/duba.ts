// Written by `npm run generate` from the table of operations. Do not edit.
import { caller, type Row } from "./call.ts";
import { EventFeed, type EventFeedOptions } from "./event-feed.ts";
import type { CallOptions, Options } from "./options.ts";
import type { ClientCode, ClientFacts, Keyed } from "./outcome.ts";

export { EventFeed, type EventFeedOptions } from "./event-feed.ts";
export type { AnswerFacts, CallOptions, Options } from "./options.ts";
export type { ClientCode, ClientFacts } from "./outcome.ts";
export { DubaFailure } from "./outcome.ts";
export { verifiedEvent } from "./verified-event.ts";

/** Every code with which the service says that it failed. */
export type FailureCode =
  | "malformed_json"
  | "malformed_request"
  | "conflicting_parameters"
  | "invalid_idempotency_key"
  | "missing_credentials"
  | "invalid_credentials"
  | "expired_credentials"
  | "spending_cap_reached"
  | "balance_too_low"
  | "insufficient_scope"
  | "address_not_allowed"
  | "consent_required"
  | "route_not_found"
  | "not_offered"
  | "provider_not_found"
  | "product_not_found"
  | "bvn_not_found"
  | "nin_not_found"
  | "request_not_found"
  | "verification_not_found"
  | "endpoint_not_found"
  | "event_not_found"
  | "method_not_allowed"
  | "request_timeout"
  | "request_in_progress"
  | "endpoint_exists"
  | "too_many_endpoints"
  | "operation_retired"
  | "record_no_longer_held"
  | "body_too_large"
  | "uri_too_long"
  | "unsupported_media_type"
  | "expectation_failed"
  | "validation_failed"
  | "bvn_blocked"
  | "nin_blocked"
  | "phone_mismatch"
  | "amount_mismatch"
  | "verification_failed"
  | "idempotency_key_reused"
  | "rate_limited"
  | "subject_rate_limited"
  | "too_many_in_flight"
  | "headers_too_large"
  | "internal_error"
  | "upstream_bad_response"
  | "upstream_unavailable"
  | "upstream_not_configured"
  | "shutting_down"
  | "upstream_timeout";

/** Codes with which any operation can fail. `route_not_found`: the service is older than this client. */
export type AnyOperationCode =
  | "route_not_found"
  | "malformed_request"
  | "missing_credentials"
  | "invalid_credentials"
  | "expired_credentials"
  | "address_not_allowed"
  | "uri_too_long"
  | "rate_limited"
  | "headers_too_large"
  | "internal_error"
  | "shutting_down";

/** One problem of one parameter. */
export interface FieldError {
  field: string;
  message: string;
}

/** What a failure says besides its code. */
export interface FailureFacts {
  /** Whether the same request may succeed later. */
  retryable: boolean;
  /** Also in X-Request-Id. */
  request_id: string;
  /** Path or URL of the page that explains the failure. */
  help: string;
  /** Every problem of a request with the code `validation_failed`. */
  fields?: FieldError[];
  charged?: boolean;
  upstream_called?: boolean;
  request_reference?: string | null;
}

/** A failure. Switch on `error.code`, and keep a default: a newer service may have more codes. */
export interface Failure<Code extends string = FailureCode> {
  success: false;
  /** Servers before version 0.2 send "error". */
  status: "failed" | "error";
  /** A sentence for people; it may change. */
  message: string;
  error: { code: Code | ClientCode } & FailureFacts & ClientFacts;
}

export interface DataBundle {
  /** Provider code, as the data providers list gives it */
  type: string;
  /** Bundle code */
  code: string;
  /** Size and duration */
  description: string;
  /** Amount in naira */
  amount: string;
  /** Price in naira */
  price: string;
  /** Data size with unit */
  value: string;
  /** Validity period */
  duration: string;
}

export interface CorporateBundle {
  /** Label for people */
  description: string;
  /** Bundle code: corporate_data_<size><unit> */
  code: string;
}

export interface AddOn {
  /** Code of the add-on */
  add_on_product_code: string;
  /** Code of the product it is added to, as requested */
  product_code: string;
  /** Label for people */
  name: string;
  /** Price in naira */
  price: string;
  /** Cable provider code, as requested */
  type: string;
}

export interface DataProvider {
  /** Provider code */
  type: string;
  /** Number of the provider in this list */
  id: number;
  /** Name of the network or service */
  name: string;
  /** Name and kind of the service */
  narration: string;
  /** Address of a picture; empty when there is none */
  image: string;
}

export interface CableProvider {
  /** Provider code */
  type: string;
  /** Number of the provider in this list */
  id: number;
  /** Name of the network or service */
  name: string;
  /** Name and kind of the service */
  narration: string;
  /** Address of a picture; empty when there is none */
  image: string;
}

export interface CableProduct {
  /** Number of the product */
  id: number;
  /** Cable provider code */
  type: string;
  /** Product code: the productCode of the add-on look-up */
  code: string;
  /** Label for people */
  name: string;
  /** Label and period */
  description: string;
  /** Price in naira */
  price: string;
  /** Amount in naira */
  amount: string;
}

export interface IdentityRecord {
  /** Reference of the verification, made by Duba: 6 alphanumerics and 9 digits */
  request_reference: string;
  /** The BVN */
  bvn_number: string;
  /** Name on the BVN card */
  name_on_card: string;
  /** Bank branch of enrolment */
  enrolment_branch: string;
  /** Three-digit bank code */
  enrolment_bank: string;
  /** Date of registration */
  formatted_registration_date: string | null;
  /** For example Level 1 - Low Level Accounts */
  level_of_account: string;
  /** National identification number; may be empty */
  nin: string;
  /** YES, NO or null */
  watchlisted: string | null;
  /** VERIFIED */
  verification_status: string;
  /** The kind of verification */
  service_type: string;
  personal_info: PersonalInfo;
  residential_info: ResidentialInfo;
}

export interface PersonalInfo {
  /** First name */
  first_name: string;
  /** Middle name */
  middle_name: string;
  /** Last name */
  last_name: string;
  /** First, middle and last name */
  full_name: string;
  /** E-mail address; may be empty */
  email: string;
  /** Male or Female */
  gender: string;
  /** Phone number, in the form 08012345678 */
  phone_number: string;
  /** Second phone number */
  phone_number_2: string | null;
  /** DD-Mon-YYYY, for example 29-Jul-1982 */
  date_of_birth: string;
  /** Month D, YYYY, for example July 29, 1982 */
  formatted_date_of_birth: string;
  /** Local government area of origin */
  lga_of_origin: string;
  /** State of origin, for example Lagos State */
  state_of_origin: string;
  /** Nationality */
  nationality: string;
  /** Single, Married, … */
  marital_status: string;
}

export interface ResidentialInfo {
  /** State of residence, for example Lagos State */
  state_of_residence: string;
  /** Local government area of residence */
  lga_of_residence: string;
  /** Address */
  residential_address: string;
}

export interface Verification {
  /** Duba's reference of the verification */
  request_reference: string;
  /** `started`: running. `unknown`: the outcome cannot be told yet; retry with the same key. `failed`: no work was done. The others are final. */
  state: "started" | "verified" | "not_found" | "phone_mismatch" | "blocked" | "refused" | "failed" | "unknown";
  charged: boolean;
  /** What was charged, in naira; "0" when nothing was */
  fee: string;
  /** How often the identity source was asked */
  attempts: number;
  /** ISO 8601, UTC */
  created_at: string;
  /** ISO 8601, UTC; null while there is no outcome */
  completed_at: string | null;
}

export interface KnownPerson {
  /** Whether your account verified this person in the last 24 months */
  known: boolean;
  /** Duba's reference of the newest such verification */
  request_reference: string | null;
  /** ISO 8601, UTC */
  verified_at: string | null;
  /** Until when a retry of it, with its key, gets the record; null if none is held */
  record_held_until: string | null;
}

export interface AccessToken {
  /** Opaque; send it as `Authorization: Bearer <access_token>` */
  access_token: string;
  token_type: "Bearer";
  /** YYYY-MM-DD HH:MM:SS in UTC */
  expires_at: string;
}

export interface Caller {
  account: {
    id: string;
    name: string;
  };
  key: {
    /** Public id; the secret is never shown again */
    id: string;
    label: string;
    expires_at: string | null;
    /** Addresses and networks it may be used from; empty: any */
    addresses: string[];
  };
  mode: "test" | "live";
  scopes: ("catalogue:read" | "identity:verify" | "events:manage")[];
  limits: {
    name: string;
    /** Requests in each window */
    requests: number;
    /** Length of the window */
    seconds: number;
    /** Requests that are left in this window, in the process that answers */
    left: number;
    /** Seconds until the next window */
    resets_in: number;
  }[];
  spending: {
    /** Verifications are paid from a balance */
    prepaid: boolean;
    cap_naira: string | null;
    cap_verifications: number | null;
    left_naira: string | null;
    left_verifications: number | null;
    renews_at: string | null;
  };
}

export interface CatalogueChange {
  /** Revision that holds the change; all changes of one hold from one moment on */
  revision: number;
  /** The list that the entry stands in; `prices`: prices of yours, so fetch the lists of that provider, or all if it names none */
  list:
    | "data-providers"
    | "data-bundles"
    | "corporate-bundles"
    | "cable-providers"
    | "cable-products"
    | "cable-add-ons"
    | "prices";
  /** What happened to the entry */
  change: "added" | "modified" | "removed";
  /** Since when it holds, or from when it will, UTC */
  holds_from: string;
  /** The entry before, as its list shows it to you; null if it is not there */
  old: DataProvider | DataBundle | CorporateBundle | CableProvider | CableProduct | AddOn | OwnPrice | null;
  /** The entry after, as its list shows it to you; null if it is not there */
  new: DataProvider | DataBundle | CorporateBundle | CableProvider | CableProduct | AddOn | OwnPrice | null;
}

export interface OwnPrice {
  /** Codes of a provider or an entry, provider first, that has other prices for you now; empty: any provider may */
  of: string;
}

export interface ScheduledChange {
  /** The list that the entry stands in; `prices`: prices of yours, so fetch the lists of that provider, or all if it names none */
  list:
    | "data-providers"
    | "data-bundles"
    | "corporate-bundles"
    | "cable-providers"
    | "cable-products"
    | "cable-add-ons"
    | "prices";
  /** What happened to the entry */
  change: "added" | "modified" | "removed";
  /** Since when it holds, or from when it will, UTC */
  holds_from: string;
  /** The entry before, as its list shows it to you; null if it is not there */
  old: DataProvider | DataBundle | CorporateBundle | CableProvider | CableProduct | AddOn | OwnPrice | null;
  /** The entry after, as its list shows it to you; null if it is not there */
  new: DataProvider | DataBundle | CorporateBundle | CableProvider | CableProduct | AddOn | OwnPrice | null;
}

export interface VerificationSettledEvent {
  id: string;
  type: "verification.settled";
  timestamp: string;
  mode: "test" | "live" | null;
  rehearsed?: true;
  data: {
    request_reference: string;
    kind: "bvn" | "nin";
    state: "verified" | "not_found" | "phone_mismatch" | "blocked" | "failed";
    charged: boolean;
  };
}

export interface VerificationChargedEvent {
  id: string;
  type: "verification.charged";
  timestamp: string;
  mode: "test" | "live" | null;
  rehearsed?: true;
  data: {
    request_reference: string | null;
    kind: "bvn" | "nin" | null;
    /** Naira */
    fee: string;
    charged_at: string;
  };
}

export interface VerificationReversedEvent {
  id: string;
  type: "verification.reversed";
  timestamp: string;
  mode: "test" | "live" | null;
  rehearsed?: true;
  data: {
    request_reference: string | null;
    kind: "bvn" | "nin" | null;
    /** Naira */
    fee: string;
    charged_at: string;
  };
}

export interface CataloguePublishedEvent {
  id: string;
  type: "catalogue.published";
  timestamp: string;
  mode: "test" | "live" | null;
  rehearsed?: true;
  data: {
    revision: number;
    added: number;
    modified: number;
    removed: number;
    /** Path of the changes, which `listCatalogueChanges` answers */
    changes: string;
  };
}

export interface PriceScheduledEvent {
  id: string;
  type: "price.scheduled";
  timestamp: string;
  mode: "test" | "live" | null;
  rehearsed?: true;
  data: {
    draft: string;
    holds_from: string;
    /** Entries whose price will differ */
    prices: number;
  };
}

export interface KeyExpiringEvent {
  id: string;
  type: "key.expiring";
  timestamp: string;
  mode: "test" | "live" | null;
  rehearsed?: true;
  data: {
    key: string;
    expires_at: string;
  };
}

export interface KeyRevokedEvent {
  id: string;
  type: "key.revoked";
  timestamp: string;
  mode: "test" | "live" | null;
  rehearsed?: true;
  data: {
    key: string;
    revoked_at: string;
  };
}

export interface AccountCapWarningEvent {
  id: string;
  type: "account.cap_warning";
  timestamp: string;
  mode: "test" | "live" | null;
  rehearsed?: true;
  data: {
    /** What is nearly used up */
    terms: "cap" | "balance";
    month: string | null;
    /** Verifications are refused */
    used_up: boolean;
  };
}

export interface EventEndpoint {
  id: string;
  url: string;
  mode: "test" | "live";
  /** Types of the events that it gets */
  types: string[];
  /** `off`: it answered 410, or the key that made it was revoked. It gets nothing until you resend */
  state: "on" | "off";
  off_since: string | null;
  /** When it was made, UTC */
  created_at: string;
  made_by: string | null;
}

export interface ListedEndpoint {
  id: string;
  url: string;
  mode: "test" | "live";
  /** Types of the events that it gets */
  types: string[];
  /** `off`: it answered 410, or the key that made it was revoked. It gets nothing until you resend */
  state: "on" | "off";
  off_since: string | null;
  /** When it was made, UTC */
  created_at: string;
  made_by: string | null;
  last_delivery: WebhookDelivery | null;
}

export interface WebhookDelivery {
  /** Id of the event */
  event: string;
  /** Type of the event */
  type: string;
  /** When it happened, UTC */
  happened_at: string;
  /** `dead`: Duba does not try any more */
  state: "waiting" | "delivered" | "dead";
  /** How often Duba sent it */
  attempts: number;
  tried_at: string | null;
  status: number | null;
  outcome: string | null;
  next_try_at: string | null;
}

export interface EndpointTest {
  /** Whether the endpoint answered with a status from 200 to 299 */
  delivered: boolean;
  /** HTTP status of its answer */
  status: number | null;
  /** `answered`, `timed_out`, `no_public_address`, or a code of the connection */
  outcome: string;
  milliseconds: number;
}

export interface Resent {
  /** How many events wait for the endpoint again */
  events: number;
}

export interface RequestEntry {
  /** The X-Request-Id of the answer */
  request_id: string;
  /** Name of the operation, such as verifyBvn; none for an unknown path */
  operation: string;
  /** Path of the operation; null for an unknown one */
  path: string | null;
  /** HTTP status */
  status: number;
  /** Code of the failure; null for a success */
  code: string | null;
  /** Names of the parameters and headers that were wrong */
  wrong: string[];
  /** Milliseconds from the request's headers to the answer */
  duration: number;
  /** Reference of the verification; null for other requests, and if there was none */
  request_reference: string | null;
  /** When it was answered, UTC */
  answered_at: string;
  /** What to do about the failure; null for a success */
  hint: string | null;
}

export interface LookupDataBundlesInput {
  /** Data provider code. Without it, bundles of all are listed. */
  provider?: string | undefined;
  /** Another name for `provider`. */
  type?: string | undefined;
}

export interface LookupDataBundlesAnswer {
  success: true;
  data: {
    status: 1;
    error: false;
    /** Bundles in the provider's order */
    data: DataBundle[];
    /** When this list was written, UTC; at most 60 seconds ago */
    date: string;
    /** Outcome in words */
    message: string;
  };
}

export type LookupDataBundlesFailure = Failure<
  AnyOperationCode | "conflicting_parameters" | "insufficient_scope" | "provider_not_found" | "validation_failed"
>;

const lookupDataBundles: Row = {
  id: "lookupDataBundles",
  method: "GET",
  path: "/api/v2/internet/data/lookup",
  payload: "data",
  isCatalogue: true,
};

export interface ListCorporateBundlesAnswer {
  success: true;
  status: "success";
  /** Outcome in words */
  message: string;
  /** Corporate bundles, in the order of the list */
  data: CorporateBundle[];
}

export type ListCorporateBundlesFailure = Failure<AnyOperationCode | "insufficient_scope">;

const listCorporateBundles: Row = {
  id: "listCorporateBundles",
  method: "GET",
  path: "/api/v2/corporate-data/list",
  payload: "data",
  isCatalogue: true,
};

export interface FetchTvAddOnsInput {
  /** Cable provider code. */
  type: string;
  /** Product code, as fetch-billers lists it. */
  productCode: string;
}

export interface FetchTvAddOnsAnswer {
  success: true;
  status: "success";
  /** Outcome in words; names the requested product code */
  message: string;
  /** Add-ons of the product; empty when it has none */
  data: AddOn[];
}

export type FetchTvAddOnsFailure = Failure<
  | AnyOperationCode
  | "malformed_json"
  | "conflicting_parameters"
  | "insufficient_scope"
  | "provider_not_found"
  | "product_not_found"
  | "request_timeout"
  | "body_too_large"
  | "unsupported_media_type"
  | "expectation_failed"
  | "validation_failed"
>;

const fetchTvAddOns: Row = {
  id: "fetchTvAddOns",
  method: "GET",
  path: "/api/v2/cable-tv/fetch-tv-add-ons",
  payload: "data",
  isCatalogue: true,
};

export interface FetchDataProvidersAnswer {
  success: true;
  /** Providers by their ids */
  billers: DataProvider[];
}

export type FetchDataProvidersFailure = Failure<AnyOperationCode | "insufficient_scope">;

const fetchDataProviders: Row = {
  id: "fetchDataProviders",
  method: "GET",
  path: "/api/v2/internet/data/fetch-providers",
  payload: "billers",
  isCatalogue: true,
};

export interface FetchCableProvidersAnswer {
  success: true;
  /** Providers by their ids */
  billers: CableProvider[];
}

export type FetchCableProvidersFailure = Failure<AnyOperationCode | "insufficient_scope">;

const fetchCableProviders: Row = {
  id: "fetchCableProviders",
  method: "GET",
  path: "/api/v2/cable-tv/fetch-providers",
  payload: "billers",
  isCatalogue: true,
};

export interface FetchCablePlansInput {
  /** Cable provider code. */
  type: string;
}

export interface FetchCablePlansAnswer {
  success: true;
  /** Products in the provider's order */
  plans: CableProduct[];
}

export type FetchCablePlansFailure = Failure<
  AnyOperationCode | "conflicting_parameters" | "insufficient_scope" | "provider_not_found" | "validation_failed"
>;

const fetchCablePlans: Row = {
  id: "fetchCablePlans",
  method: "GET",
  path: "/api/v2/cable-tv/fetch-billers",
  payload: "plans",
  isCatalogue: true,
};

export interface VerifyBvnInput {
  /** Customer BVN: 11 digits. */
  bvn: string;
  /** Customer phone number: 08012345678, 2348012345678, +2348012345678 or 8012345678. The ten digits after 0, 234 or +234 never begin with 0. */
  phone: string;
  /** Amount in naira, as the WAEC look-up returned it. The operator's fee is what a verification costs, and Duba compares the two. */
  amount: string;
  /** First name of the customer, to compare it with the record. */
  first_name?: string | undefined;
  /** Last name of the customer, to compare it with the record. */
  last_name?: string | undefined;
  /** Birth date of the customer, such as 1982-07-29, to compare it with the record. */
  date_of_birth?: string | undefined;
}

export interface VerifyBvnAnswer extends Keyed {
  success: true;
  message: string;
  data: IdentityRecord;
}

export type VerifyBvnFailure = Failure<
  | AnyOperationCode
  | "malformed_json"
  | "conflicting_parameters"
  | "invalid_idempotency_key"
  | "spending_cap_reached"
  | "balance_too_low"
  | "insufficient_scope"
  | "consent_required"
  | "bvn_not_found"
  | "request_timeout"
  | "request_in_progress"
  | "record_no_longer_held"
  | "body_too_large"
  | "unsupported_media_type"
  | "expectation_failed"
  | "validation_failed"
  | "bvn_blocked"
  | "phone_mismatch"
  | "amount_mismatch"
  | "verification_failed"
  | "idempotency_key_reused"
  | "subject_rate_limited"
  | "too_many_in_flight"
  | "upstream_bad_response"
  | "upstream_unavailable"
  | "upstream_not_configured"
  | "upstream_timeout"
>;

export interface VerifyBvnOptions extends CallOptions {
  /** Your name for this verification, 1 to 255 visible ASCII characters, quoted or bare: a retry with it is never charged twice. */
  idempotencyKey?: string;
  /** Your handle for the person's consent, 1 to 128 visible ASCII characters, without a number, name or birth date of the request; kept on the ledger. */
  consentReference?: string;
  /** W3C trace context, passed on to the identity source. */
  traceparent?: string;
}

const verifyBvn: Row = {
  id: "verifyBvn",
  method: "POST",
  path: "/api/v2/kyc/verify-bvn",
  headers: ["idempotency-key", "consent-reference", "traceparent"],
  payload: "data",
  number: { input: "bvn", record: "bvn_number" },
  stateByKey: "/api/v2/kyc/verifications",
};

export interface VerifyNinInput {
  /** Customer NIN: 11 digits. */
  nin: string;
  /** Customer phone number: 08012345678, 2348012345678, +2348012345678 or 8012345678. The ten digits after 0, 234 or +234 never begin with 0. */
  phone: string;
  /** Amount in naira: the fee of a verified NIN. */
  amount: string;
  /** First name of the customer, to compare it with the record. */
  first_name?: string | undefined;
  /** Last name of the customer, to compare it with the record. */
  last_name?: string | undefined;
  /** Birth date of the customer, such as 1982-07-29, to compare it with the record. */
  date_of_birth?: string | undefined;
}

export interface VerifyNinAnswer extends Keyed {
  success: true;
  message: string;
  data: IdentityRecord;
}

export type VerifyNinFailure = Failure<
  | AnyOperationCode
  | "malformed_json"
  | "conflicting_parameters"
  | "invalid_idempotency_key"
  | "spending_cap_reached"
  | "balance_too_low"
  | "insufficient_scope"
  | "consent_required"
  | "nin_not_found"
  | "request_timeout"
  | "request_in_progress"
  | "record_no_longer_held"
  | "body_too_large"
  | "unsupported_media_type"
  | "expectation_failed"
  | "validation_failed"
  | "nin_blocked"
  | "phone_mismatch"
  | "amount_mismatch"
  | "verification_failed"
  | "idempotency_key_reused"
  | "subject_rate_limited"
  | "too_many_in_flight"
  | "upstream_bad_response"
  | "upstream_unavailable"
  | "upstream_not_configured"
  | "upstream_timeout"
>;

export interface VerifyNinOptions extends CallOptions {
  /** Your name for this verification, 1 to 255 visible ASCII characters, quoted or bare: a retry with it is never charged twice. */
  idempotencyKey?: string;
  /** Your handle for the person's consent, 1 to 128 visible ASCII characters, without a number, name or birth date of the request; kept on the ledger. */
  consentReference?: string;
  /** W3C trace context, passed on to the identity source. */
  traceparent?: string;
}

const verifyNin: Row = {
  id: "verifyNin",
  method: "POST",
  path: "/api/v2/kyc/verify-nin",
  headers: ["idempotency-key", "consent-reference", "traceparent"],
  payload: "data",
  number: { input: "nin", record: "nin" },
  stateByKey: "/api/v2/kyc/verifications",
};

export interface LookupWaecAmountAnswer {
  success: true;
  status: "success";
  message: string;
  data: {
    /** Fee of a verification in naira: the `amount` to send */
    amount: string;
  };
}

export type LookupWaecAmountFailure = Failure<AnyOperationCode | "insufficient_scope">;

const lookupWaecAmount: Row = {
  id: "lookupWaecAmount",
  method: "GET",
  path: "/api/v2/education/waec-lookup",
  payload: "data",
};

export interface GetVerificationInput {
  /** Reference of the verification. */
  request_reference: string;
}

export interface GetVerificationAnswer {
  success: true;
  status: "success";
  message: string;
  data: Verification;
}

export type GetVerificationFailure = Failure<
  AnyOperationCode | "conflicting_parameters" | "insufficient_scope" | "verification_not_found" | "validation_failed"
>;

const getVerification: Row = {
  id: "getVerification",
  method: "GET",
  path: "/api/v2/kyc/verifications/{request_reference}",
  payload: "data",
};

export interface FindVerificationInput {
  /** Idempotency key of the verification. */
  idempotency_key?: string | undefined;
}

export interface FindVerificationAnswer {
  success: true;
  status: "success";
  message: string;
  data: Verification;
}

export type FindVerificationFailure = Failure<
  | AnyOperationCode
  | "conflicting_parameters"
  | "invalid_idempotency_key"
  | "insufficient_scope"
  | "verification_not_found"
  | "validation_failed"
>;

export interface FindVerificationOptions extends CallOptions {
  /** The same, if it is not in the query string. */
  idempotencyKey?: string;
}

const findVerification: Row = {
  id: "findVerification",
  method: "GET",
  path: "/api/v2/kyc/verifications",
  headers: ["idempotency-key"],
  payload: "data",
};

export interface FindKnownPersonInput {
  /** Customer BVN: 11 digits. */
  bvn?: string | undefined;
  /** Customer NIN: 11 digits. */
  nin?: string | undefined;
}

export interface FindKnownPersonAnswer {
  success: true;
  status: "success";
  message: string;
  data: KnownPerson;
}

export type FindKnownPersonFailure = Failure<
  | AnyOperationCode
  | "malformed_json"
  | "conflicting_parameters"
  | "insufficient_scope"
  | "request_timeout"
  | "body_too_large"
  | "unsupported_media_type"
  | "expectation_failed"
  | "validation_failed"
>;

const findKnownPerson: Row = { id: "findKnownPerson", method: "POST", path: "/api/v2/kyc/known", payload: "data" };

export interface FetchWalletBalanceAnswer {
  success: true;
  status: "success";
  general_wallet: {
    is_gl: 0;
    can_be_negative: 0;
    account_number: "";
    /** Naira with two decimals */
    balance: string;
    commission: 0;
    status: "active";
    type: null;
  };
  sme_data_wallet: {
    /** Naira with two decimals */
    balance: string;
    status: "active";
  };
  corporate_data_wallet: {
    /** Naira with two decimals */
    balance: string;
    status: "active";
  };
}

export type FetchWalletBalanceFailure = Failure<AnyOperationCode | "insufficient_scope">;

const fetchWalletBalance: Row = {
  id: "fetchWalletBalance",
  method: "GET",
  path: "/api/v2/wallet/balance",
  payload: "general_wallet",
};

export interface AuthorizeMerchantInput {
  /** E-mail address of the account; case does not matter. */
  email?: string | undefined;
  /** One whole API key of the account. */
  password?: string | undefined;
}

export interface AuthorizeMerchantAnswer {
  success: true;
  data: {
    /** Name of the account */
    business_name: string;
    token: AccessToken;
  };
}

export type AuthorizeMerchantFailure = Failure<
  | AnyOperationCode
  | "malformed_json"
  | "conflicting_parameters"
  | "request_timeout"
  | "body_too_large"
  | "unsupported_media_type"
  | "expectation_failed"
  | "validation_failed"
>;

const authorizeMerchant: Row = {
  id: "authorizeMerchant",
  method: "POST",
  path: "/api/v2/merchant/authorization",
  payload: "data",
};

export interface WhoAmIAnswer {
  success: true;
  status: "success";
  message: string;
  data: Caller;
}

export type WhoAmIFailure = Failure<AnyOperationCode>;

const whoAmI: Row = { id: "whoAmI", method: "GET", path: "/api/v2/me", payload: "data" };

export interface ListCatalogueChangesInput {
  /** The `next` of an earlier answer, or 0. */
  after?: string | undefined;
  /** How many changes to list at most, from 1 to 1000; 100 unless given. */
  limit?: string | undefined;
}

export interface ListCatalogueChangesAnswer {
  success: true;
  status: "success";
  /** Outcome in words */
  message: string;
  /** Changes after the cursor, oldest first */
  data: CatalogueChange[];
  /** What is scheduled for later, soonest first, while nothing more is to be listed; it may still be changed. Empty for callers without a credential */
  scheduled: ScheduledChange[];
  /** Cursor for the next call: `after` */
  next: string;
  /** True if the next call will list more at once */
  more: boolean;
}

export type ListCatalogueChangesFailure = Failure<
  AnyOperationCode | "conflicting_parameters" | "insufficient_scope" | "validation_failed"
>;

const listCatalogueChanges: Row = {
  id: "listCatalogueChanges",
  method: "GET",
  path: "/api/v2/catalogue/changes",
  payload: "data",
};

export interface ListEventsInput {
  /** The `next` of an earlier answer, or 0. */
  after?: string | undefined;
  /** How many events to list at most, from 1 to 1000; 100 unless given. */
  limit?: string | undefined;
}

export interface ListEventsAnswer {
  success: true;
  status: "success";
  /** Outcome in words */
  message: string;
  /** Events after the cursor, oldest first */
  data: (
    | VerificationSettledEvent
    | VerificationChargedEvent
    | VerificationReversedEvent
    | CataloguePublishedEvent
    | PriceScheduledEvent
    | KeyExpiringEvent
    | KeyRevokedEvent
    | AccountCapWarningEvent
  )[];
  /** Cursor for the next call: `after` */
  next: string;
  /** True if the next call will list more at once */
  more: boolean;
}

export type ListEventsFailure = Failure<AnyOperationCode | "conflicting_parameters" | "validation_failed">;

const listEvents: Row = { id: "listEvents", method: "GET", path: "/api/v2/events", payload: "data" };

export interface TriggerEventInput {
  /** Type of the event: verification.settled, verification.charged, verification.reversed, catalogue.published, price.scheduled, key.expiring, key.revoked, account.cap_warning. */
  type: string;
}

export interface TriggerEventAnswer {
  success: true;
  status: "success";
  message: string;
  data:
    | VerificationSettledEvent
    | VerificationChargedEvent
    | VerificationReversedEvent
    | CataloguePublishedEvent
    | PriceScheduledEvent
    | KeyExpiringEvent
    | KeyRevokedEvent
    | AccountCapWarningEvent;
}

export type TriggerEventFailure = Failure<
  | AnyOperationCode
  | "malformed_json"
  | "conflicting_parameters"
  | "insufficient_scope"
  | "request_timeout"
  | "body_too_large"
  | "unsupported_media_type"
  | "expectation_failed"
  | "validation_failed"
>;

const triggerEvent: Row = { id: "triggerEvent", method: "POST", path: "/api/v2/events/trigger", payload: "data" };

export interface AddEventEndpointInput {
  /** Where Duba sends the events. */
  url: string;
  /** Types of the events that it gets, with commas between: verification.settled, verification.charged, verification.reversed, catalogue.published, price.scheduled, key.expiring, key.revoked, account.cap_warning. Unless given: all that there are today and your key may list. */
  types?: string | undefined;
}

export interface AddEventEndpointAnswer {
  success: true;
  status: "success";
  message: string;
  data: EventEndpoint;
  /** Signs the deliveries. It is shown this once */
  secret: string;
}

export type AddEventEndpointFailure = Failure<
  | AnyOperationCode
  | "malformed_json"
  | "conflicting_parameters"
  | "insufficient_scope"
  | "request_timeout"
  | "endpoint_exists"
  | "too_many_endpoints"
  | "body_too_large"
  | "unsupported_media_type"
  | "expectation_failed"
  | "validation_failed"
>;

const addEventEndpoint: Row = {
  id: "addEventEndpoint",
  method: "POST",
  path: "/api/v2/events/endpoints",
  payload: "data",
};

export interface ListEventEndpointsAnswer {
  success: true;
  status: "success";
  message: string;
  /** Endpoints, oldest first */
  data: ListedEndpoint[];
}

export type ListEventEndpointsFailure = Failure<AnyOperationCode | "insufficient_scope">;

const listEventEndpoints: Row = {
  id: "listEventEndpoints",
  method: "GET",
  path: "/api/v2/events/endpoints",
  payload: "data",
};

export interface TestEventEndpointInput {
  /** Id of the endpoint. */
  id: string;
}

export interface TestEventEndpointAnswer {
  success: true;
  status: "success";
  message: string;
  data: EndpointTest;
}

export type TestEventEndpointFailure = Failure<
  AnyOperationCode | "conflicting_parameters" | "insufficient_scope" | "endpoint_not_found" | "validation_failed"
>;

const testEventEndpoint: Row = {
  id: "testEventEndpoint",
  method: "POST",
  path: "/api/v2/events/endpoints/{id}/test",
  payload: "data",
};

export interface ListEventDeliveriesInput {
  /** Id of the endpoint. */
  id: string;
  /** The `next` of an earlier answer, or 0. */
  after?: string | undefined;
  /** How many deliveries to list at most, from 1 to 1000; 100 unless given. */
  limit?: string | undefined;
}

export interface ListEventDeliveriesAnswer {
  success: true;
  status: "success";
  message: string;
  /** Deliveries, oldest event first */
  data: WebhookDelivery[];
  /** Cursor for the next call: `after` */
  next: string;
  /** True if the next call will list more at once */
  more: boolean;
}

export type ListEventDeliveriesFailure = Failure<
  AnyOperationCode | "conflicting_parameters" | "insufficient_scope" | "endpoint_not_found" | "validation_failed"
>;

const listEventDeliveries: Row = {
  id: "listEventDeliveries",
  method: "GET",
  path: "/api/v2/events/endpoints/{id}/deliveries",
  payload: "data",
};

export interface ResendEventsInput {
  /** Id of the endpoint. */
  id: string;
  /** Id of an event. Unless given: all that are dead. */
  event?: string | undefined;
}

export interface ResendEventsAnswer {
  success: true;
  status: "success";
  message: string;
  data: Resent;
}

export type ResendEventsFailure = Failure<
  | AnyOperationCode
  | "malformed_json"
  | "conflicting_parameters"
  | "insufficient_scope"
  | "endpoint_not_found"
  | "event_not_found"
  | "request_timeout"
  | "body_too_large"
  | "unsupported_media_type"
  | "expectation_failed"
  | "validation_failed"
>;

const resendEvents: Row = {
  id: "resendEvents",
  method: "POST",
  path: "/api/v2/events/endpoints/{id}/resend",
  payload: "data",
};

export interface RollEventSecretInput {
  /** Id of the endpoint. */
  id: string;
  /** How long the old secret signs too, 30d at most; 24h unless given. 0s: it ends at once. */
  overlap?: string | undefined;
}

export interface RollEventSecretAnswer {
  success: true;
  status: "success";
  message: string;
  data: EventEndpoint;
  /** Signs the deliveries. It is shown this once */
  secret: string;
  /** Until when the old secret signs too, UTC */
  old_secret_ends_at: string;
}

export type RollEventSecretFailure = Failure<
  | AnyOperationCode
  | "malformed_json"
  | "conflicting_parameters"
  | "insufficient_scope"
  | "endpoint_not_found"
  | "request_timeout"
  | "body_too_large"
  | "unsupported_media_type"
  | "expectation_failed"
  | "validation_failed"
>;

const rollEventSecret: Row = {
  id: "rollEventSecret",
  method: "POST",
  path: "/api/v2/events/endpoints/{id}/secret",
  payload: "data",
};

export interface RemoveEventEndpointInput {
  /** Id of the endpoint. */
  id: string;
}

export interface RemoveEventEndpointAnswer {
  success: true;
  status: "success";
  message: string;
  data: EventEndpoint;
}

export type RemoveEventEndpointFailure = Failure<
  AnyOperationCode | "conflicting_parameters" | "insufficient_scope" | "endpoint_not_found" | "validation_failed"
>;

const removeEventEndpoint: Row = {
  id: "removeEventEndpoint",
  method: "DELETE",
  path: "/api/v2/events/endpoints/{id}",
  payload: "data",
};

export interface GetRequestInput {
  /** The X-Request-Id of the answer. */
  request_id: string;
}

export interface GetRequestAnswer {
  success: true;
  status: "success";
  message: string;
  data: RequestEntry;
}

export type GetRequestFailure = Failure<
  AnyOperationCode | "conflicting_parameters" | "request_not_found" | "validation_failed"
>;

const getRequest: Row = { id: "getRequest", method: "GET", path: "/api/v2/requests/{request_id}", payload: "data" };

export interface ListRequestsInput {
  /** The `next` of an earlier answer, or 0. */
  after?: string | undefined;
  /** How many entries to list at most, from 1 to 1000; 100 unless given. */
  limit?: string | undefined;
}

export interface ListRequestsAnswer {
  success: true;
  status: "success";
  message: string;
  /** Entries, oldest first */
  data: RequestEntry[];
  /** Cursor for the next call: `after` */
  next: string;
  /** True if the next call will list more at once */
  more: boolean;
}

export type ListRequestsFailure = Failure<AnyOperationCode | "conflicting_parameters" | "validation_failed">;

const listRequests: Row = { id: "listRequests", method: "GET", path: "/api/v2/requests", payload: "data" };

/** An event, as webhooks and the list of events have it. */
export type DubaEvent = ListEventsAnswer["data"][number];

/** The service at one address, with one key. A method returns the answer, or a failure: look at `success`. It throws only a TypeError, for options that cannot be right. The service describes each operation in full at `/docs`. */
export class Duba {
  readonly #call: ReturnType<typeof caller>;

  constructor(options: Options) {
    this.#call = caller(options);
  }

  /** The events of your account, for `for await`. */
  events(options: EventFeedOptions = {}): EventFeed {
    return new EventFeed((input, call) => this.listEvents(input, call), options);
  }

  /** Lists the mobile data bundles of one data provider, or of every provider in turn when none is named. */
  lookupDataBundles(
    input: LookupDataBundlesInput = {},
    options?: CallOptions,
  ): Promise<LookupDataBundlesAnswer | LookupDataBundlesFailure> {
    return this.#call(lookupDataBundles, input, options);
  }

  /** Lists the corporate data bundles, in the order of the list. */
  listCorporateBundles(options?: CallOptions): Promise<ListCorporateBundlesAnswer | ListCorporateBundlesFailure> {
    return this.#call(listCorporateBundles, {}, options);
  }

  /** Lists what can be added to a cable-TV product. */
  fetchTvAddOns(input: FetchTvAddOnsInput, options?: CallOptions): Promise<FetchTvAddOnsAnswer | FetchTvAddOnsFailure> {
    return this.#call(fetchTvAddOns, input, options);
  }

  /** Lists the data providers. */
  fetchDataProviders(options?: CallOptions): Promise<FetchDataProvidersAnswer | FetchDataProvidersFailure> {
    return this.#call(fetchDataProviders, {}, options);
  }

  /** Lists the cable-TV providers. */
  fetchCableProviders(options?: CallOptions): Promise<FetchCableProvidersAnswer | FetchCableProvidersFailure> {
    return this.#call(fetchCableProviders, {}, options);
  }

  /** Lists the products of a cable-TV provider. */
  fetchCablePlans(
    input: FetchCablePlansInput,
    options?: CallOptions,
  ): Promise<FetchCablePlansAnswer | FetchCablePlansFailure> {
    return this.#call(fetchCablePlans, input, options);
  }

  /** Verifies a customer's BVN and phone number and returns the identity record. */
  verifyBvn(input: VerifyBvnInput, options?: VerifyBvnOptions): Promise<VerifyBvnAnswer | VerifyBvnFailure> {
    return this.#call(verifyBvn, input, options);
  }

  /** Verifies a customer's NIN and phone number and returns the identity record that `verifyBvn` returns, with the NIN in `nin` and an empty `bvn_number`. */
  verifyNin(input: VerifyNinInput, options?: VerifyNinOptions): Promise<VerifyNinAnswer | VerifyNinFailure> {
    return this.#call(verifyNin, input, options);
  }

  /** Gives the `amount` that the BVN verification asks for, from the fee schedule of this service. */
  lookupWaecAmount(options?: CallOptions): Promise<LookupWaecAmountAnswer | LookupWaecAmountFailure> {
    return this.#call(lookupWaecAmount, {}, options);
  }

  /** Tells what became of a verification, by its `request_reference`. */
  getVerification(
    input: GetVerificationInput,
    options?: CallOptions,
  ): Promise<GetVerificationAnswer | GetVerificationFailure> {
    return this.#call(getVerification, input, options);
  }

  /** Tells what became of a verification, by the idempotency key it was sent with: in the query string or in an `Idempotency-Key` header. */
  findVerification(
    input: FindVerificationInput = {},
    options?: FindVerificationOptions,
  ): Promise<FindVerificationAnswer | FindVerificationFailure> {
    return this.#call(findVerification, input, options);
  }

  /** Says whether your account verified the person with this BVN or NIN in the last 24 months, in the mode of the key: when, under which reference, and until when its record is held.
   * @since 0.2.0 */
  findKnownPerson(
    input: FindKnownPersonInput = {},
    options?: CallOptions,
  ): Promise<FindKnownPersonAnswer | FindKnownPersonFailure> {
    return this.#call(findKnownPerson, input, options);
  }

  /** Gives what your account can still spend on verifications in `general_wallet.balance`: its prepaid balance, else what its monthly cap in naira leaves. */
  fetchWalletBalance(options?: CallOptions): Promise<FetchWalletBalanceAnswer | FetchWalletBalanceFailure> {
    return this.#call(fetchWalletBalance, {}, options);
  }

  /** Gives a token that stands for the API key for 24 hours, and dies with the key. */
  authorizeMerchant(
    input: AuthorizeMerchantInput = {},
    options?: CallOptions,
  ): Promise<AuthorizeMerchantAnswer | AuthorizeMerchantFailure> {
    return this.#call(authorizeMerchant, input, options);
  }

  /** Names the account and the key of the request, its mode and scopes, when the key expires and from where it may be used, how much of each rate limit is left, and what is left of a monthly cap or a prepaid balance. */
  whoAmI(options?: CallOptions): Promise<WhoAmIAnswer | WhoAmIFailure> {
    return this.#call(whoAmI, {}, options);
  }

  /** Lists what was added, modified and removed in the catalogue, so that a copy of it stays up to date without fetching every list again. */
  listCatalogueChanges(
    input: ListCatalogueChangesInput = {},
    options?: CallOptions,
  ): Promise<ListCatalogueChangesAnswer | ListCatalogueChangesFailure> {
    return this.#call(listCatalogueChanges, input, options);
  }

  /** Lists the events that webhooks deliver, with the same bodies, in the mode of your key. */
  listEvents(input: ListEventsInput = {}, options?: CallOptions): Promise<ListEventsAnswer | ListEventsFailure> {
    return this.#call(listEvents, input, options);
  }

  /** Makes an event of a type with invented data, for test keys only: `GET /api/v2/events` lists it, and endpoints of the account's test mode get it. */
  triggerEvent(input: TriggerEventInput, options?: CallOptions): Promise<TriggerEventAnswer | TriggerEventFailure> {
    return this.#call(triggerEvent, input, options);
  }

  /** Adds an endpoint that gets the events of your account, in the mode of your key, as signed webhooks.
   * @since 0.2.0 */
  addEventEndpoint(
    input: AddEventEndpointInput,
    options?: CallOptions,
  ): Promise<AddEventEndpointAnswer | AddEventEndpointFailure> {
    return this.#call(addEventEndpoint, input, options);
  }

  /** Lists the endpoints of your account in the mode of your key, oldest first, without their secrets: who made each, whether it is on, and what became of the last delivery.
   * @since 0.2.0 */
  listEventEndpoints(options?: CallOptions): Promise<ListEventEndpointsAnswer | ListEventEndpointsFailure> {
    return this.#call(listEventEndpoints, {}, options);
  }

  /** Sends `endpoint.test` to an endpoint once, signed like all deliveries, and says what came back within 8 seconds.
   * @since 0.2.0 */
  testEventEndpoint(
    input: TestEventEndpointInput,
    options?: CallOptions,
  ): Promise<TestEventEndpointAnswer | TestEventEndpointFailure> {
    return this.#call(testEventEndpoint, input, options);
  }

  /** Lists what became of the events for an endpoint, oldest event first.
   * @since 0.2.0 */
  listEventDeliveries(
    input: ListEventDeliveriesInput,
    options?: CallOptions,
  ): Promise<ListEventDeliveriesAnswer | ListEventDeliveriesFailure> {
    return this.#call(listEventDeliveries, input, options);
  }

  /** Sends all events that are dead for an endpoint again, or the one that you name, also if it was delivered.
   * @since 0.2.0 */
  resendEvents(input: ResendEventsInput, options?: CallOptions): Promise<ResendEventsAnswer | ResendEventsFailure> {
    return this.#call(resendEvents, input, options);
  }

  /** Gives an endpoint a new secret, which is shown this once.
   * @since 0.2.0 */
  rollEventSecret(
    input: RollEventSecretInput,
    options?: CallOptions,
  ): Promise<RollEventSecretAnswer | RollEventSecretFailure> {
    return this.#call(rollEventSecret, input, options);
  }

  /** Removes an endpoint of your account in the mode of your key, and all deliveries that wait for it.
   * @since 0.2.0 */
  removeEventEndpoint(
    input: RemoveEventEndpointInput,
    options?: CallOptions,
  ): Promise<RemoveEventEndpointAnswer | RemoveEventEndpointFailure> {
    return this.#call(removeEventEndpoint, input, options);
  }

  /** Tells how a request was answered, by the `X-Request-Id` of its answer. */
  getRequest(input: GetRequestInput, options?: CallOptions): Promise<GetRequestAnswer | GetRequestFailure> {
    return this.#call(getRequest, input, options);
  }

  /** Lists how requests of your account were answered, in the mode of the key, oldest first. */
  listRequests(
    input: ListRequestsInput = {},
    options?: CallOptions,
  ): Promise<ListRequestsAnswer | ListRequestsFailure> {
    return this.#call(listRequests, input, options);
  }
}
