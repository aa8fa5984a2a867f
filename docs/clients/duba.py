"""A client for Duba in one file, for Python 3.8 and newer. It needs no package. Copy it into your project.

A method returns the answer, or raises a DubaFailure. A ValueError says that an option of yours cannot be right.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import random
import re
import time
import urllib.request
import uuid
from typing import TYPE_CHECKING, Any, Dict, Iterator, List, Literal, Mapping, NamedTuple, Optional, Tuple, TypedDict
from typing import Union
from urllib.parse import quote, urlencode

if TYPE_CHECKING:
    from typing_extensions import NotRequired

# Seconds. A failure that asks for a longer wait is raised at once.
LONGEST_WAIT = 10
# Seconds by which a delivery may be older or newer than now.
TOLERANCE = 300


class DubaFailure(Exception):
    """A failure of the service, or of the way to it. Compare `code`; `error` is the member `error` of the answer.

    Codes of the client itself are `no_answer` (no connection, or no time left), `unexpected_answer` (something other than
    Duba answered, such as a proxy) and `wrong_delivery` (what came to your webhook is not from Duba).
    """

    def __init__(self, code: str, message: str, retryable: bool = False, error: Optional[Mapping[str, Any]] = None):
        super().__init__(message)
        self.code = code
        self.message = message
        self.retryable = retryable
        # With http_status (0: no answer) and, if there is one, retry_after and idempotency_key.
        self.error: Dict[str, Any] = {
            **{"code": code, "retryable": retryable, "request_id": "", "help": "", "http_status": 0},
            **(error or {}),
        }

    @property
    def retry_after(self) -> int:
        """Seconds that the service asks you to wait."""
        return int(self.error.get("retry_after", 0))

    @property
    def idempotency_key(self) -> Optional[str]:
        """Key of the verification that failed. Call again with it: you are charged once at most."""
        return self.error.get("idempotency_key")

    def _is_lost(self) -> bool:
        """True if the service may have done what it was asked, or is still doing it."""
        return self.code in ("no_answer", "unexpected_answer", "request_in_progress")


# <!-- types -->


class DataBundle(TypedDict):
    type: str
    code: str
    description: str
    amount: str
    price: str
    value: str
    duration: str


class CorporateBundle(TypedDict):
    description: str
    code: str


class AddOn(TypedDict):
    add_on_product_code: str
    product_code: str
    name: str
    price: str
    type: str


class DataProvider(TypedDict):
    type: str
    id: int
    name: str
    narration: str
    image: str


class CableProvider(TypedDict):
    type: str
    id: int
    name: str
    narration: str
    image: str


class CableProduct(TypedDict):
    id: int
    type: str
    code: str
    name: str
    description: str
    price: str
    amount: str


class IdentityRecord(TypedDict):
    request_reference: str
    bvn_number: str
    name_on_card: str
    enrolment_branch: str
    enrolment_bank: str
    formatted_registration_date: Union[str, None]
    level_of_account: str
    nin: str
    watchlisted: Union[str, None]
    verification_status: str
    service_type: str
    personal_info: PersonalInfo
    residential_info: ResidentialInfo


class PersonalInfo(TypedDict):
    first_name: str
    middle_name: str
    last_name: str
    full_name: str
    email: str
    gender: str
    phone_number: str
    phone_number_2: Union[str, None]
    date_of_birth: str
    formatted_date_of_birth: str
    lga_of_origin: str
    state_of_origin: str
    nationality: str
    marital_status: str


class ResidentialInfo(TypedDict):
    state_of_residence: str
    lga_of_residence: str
    residential_address: str


class Verification(TypedDict):
    request_reference: str
    state: Literal["started", "verified", "not_found", "phone_mismatch", "blocked", "refused", "failed", "unknown"]
    charged: bool
    fee: str
    attempts: int
    created_at: str
    completed_at: Union[str, None]


class KnownPerson(TypedDict):
    known: bool
    request_reference: Union[str, None]
    verified_at: Union[str, None]
    record_held_until: Union[str, None]


class AccessToken(TypedDict):
    access_token: str
    token_type: Literal["Bearer"]
    expires_at: str


class CallerAccount(TypedDict):
    id: str
    name: str


class CallerKey(TypedDict):
    id: str
    label: str
    expires_at: Union[str, None]
    addresses: List[str]


class CallerLimits(TypedDict):
    name: str
    requests: int
    seconds: int
    left: int
    resets_in: int


class CallerSpending(TypedDict):
    prepaid: bool
    cap_naira: Union[str, None]
    cap_verifications: Union[int, None]
    left_naira: Union[str, None]
    left_verifications: Union[int, None]
    renews_at: Union[str, None]


class Caller(TypedDict):
    account: CallerAccount
    key: CallerKey
    mode: Literal["test", "live"]
    scopes: List[Literal["catalogue:read", "identity:verify", "events:manage"]]
    limits: List[CallerLimits]
    spending: CallerSpending


class CatalogueChange(TypedDict):
    revision: int
    list: Literal["data-providers", "data-bundles", "corporate-bundles", "cable-providers", "cable-products",
        "cable-add-ons", "prices"]
    change: Literal["added", "modified", "removed"]
    holds_from: str
    old: Union[DataProvider, DataBundle, CorporateBundle, CableProvider, CableProduct, AddOn, OwnPrice, None]
    new: Union[DataProvider, DataBundle, CorporateBundle, CableProvider, CableProduct, AddOn, OwnPrice, None]


class OwnPrice(TypedDict):
    of: str


class ScheduledChange(TypedDict):
    list: Literal["data-providers", "data-bundles", "corporate-bundles", "cable-providers", "cable-products",
        "cable-add-ons", "prices"]
    change: Literal["added", "modified", "removed"]
    holds_from: str
    old: Union[DataProvider, DataBundle, CorporateBundle, CableProvider, CableProduct, AddOn, OwnPrice, None]
    new: Union[DataProvider, DataBundle, CorporateBundle, CableProvider, CableProduct, AddOn, OwnPrice, None]


class VerificationSettledEventData(TypedDict):
    request_reference: str
    kind: Literal["bvn", "nin"]
    state: Literal["verified", "not_found", "phone_mismatch", "blocked", "failed"]
    charged: bool


class VerificationSettledEvent(TypedDict):
    id: str
    type: Literal["verification.settled"]
    timestamp: str
    mode: Union[Literal["test", "live"], None]
    rehearsed: NotRequired[Literal[True]]
    data: VerificationSettledEventData


class VerificationChargedEventData(TypedDict):
    request_reference: Union[str, None]
    kind: Union[Literal["bvn", "nin"], None]
    fee: str
    charged_at: str


class VerificationChargedEvent(TypedDict):
    id: str
    type: Literal["verification.charged"]
    timestamp: str
    mode: Union[Literal["test", "live"], None]
    rehearsed: NotRequired[Literal[True]]
    data: VerificationChargedEventData


class VerificationReversedEventData(TypedDict):
    request_reference: Union[str, None]
    kind: Union[Literal["bvn", "nin"], None]
    fee: str
    charged_at: str


class VerificationReversedEvent(TypedDict):
    id: str
    type: Literal["verification.reversed"]
    timestamp: str
    mode: Union[Literal["test", "live"], None]
    rehearsed: NotRequired[Literal[True]]
    data: VerificationReversedEventData


class CataloguePublishedEventData(TypedDict):
    revision: int
    added: int
    modified: int
    removed: int
    changes: str


class CataloguePublishedEvent(TypedDict):
    id: str
    type: Literal["catalogue.published"]
    timestamp: str
    mode: Union[Literal["test", "live"], None]
    rehearsed: NotRequired[Literal[True]]
    data: CataloguePublishedEventData


class PriceScheduledEventData(TypedDict):
    draft: str
    holds_from: str
    prices: int


class PriceScheduledEvent(TypedDict):
    id: str
    type: Literal["price.scheduled"]
    timestamp: str
    mode: Union[Literal["test", "live"], None]
    rehearsed: NotRequired[Literal[True]]
    data: PriceScheduledEventData


class KeyExpiringEventData(TypedDict):
    key: str
    expires_at: str


class KeyExpiringEvent(TypedDict):
    id: str
    type: Literal["key.expiring"]
    timestamp: str
    mode: Union[Literal["test", "live"], None]
    rehearsed: NotRequired[Literal[True]]
    data: KeyExpiringEventData


class KeyRevokedEventData(TypedDict):
    key: str
    revoked_at: str


class KeyRevokedEvent(TypedDict):
    id: str
    type: Literal["key.revoked"]
    timestamp: str
    mode: Union[Literal["test", "live"], None]
    rehearsed: NotRequired[Literal[True]]
    data: KeyRevokedEventData


class AccountCapWarningEventData(TypedDict):
    terms: Literal["cap", "balance"]
    month: Union[str, None]
    used_up: bool


class AccountCapWarningEvent(TypedDict):
    id: str
    type: Literal["account.cap_warning"]
    timestamp: str
    mode: Union[Literal["test", "live"], None]
    rehearsed: NotRequired[Literal[True]]
    data: AccountCapWarningEventData


class EventEndpoint(TypedDict):
    id: str
    url: str
    mode: Literal["test", "live"]
    types: List[str]
    state: Literal["on", "off"]
    off_since: Union[str, None]
    created_at: str
    made_by: Union[str, None]


class ListedEndpoint(TypedDict):
    id: str
    url: str
    mode: Literal["test", "live"]
    types: List[str]
    state: Literal["on", "off"]
    off_since: Union[str, None]
    created_at: str
    made_by: Union[str, None]
    last_delivery: Union[WebhookDelivery, None]


class WebhookDelivery(TypedDict):
    event: str
    type: str
    happened_at: str
    state: Literal["waiting", "delivered", "dead"]
    attempts: int
    tried_at: Union[str, None]
    status: Union[int, None]
    outcome: Union[str, None]
    next_try_at: Union[str, None]


class EndpointTest(TypedDict):
    delivered: bool
    status: Union[int, None]
    outcome: str
    milliseconds: int


class Resent(TypedDict):
    events: int


class RequestEntry(TypedDict):
    request_id: str
    operation: str
    path: Union[str, None]
    status: int
    code: Union[str, None]
    wrong: List[str]
    duration: int
    request_reference: Union[str, None]
    answered_at: str
    hint: Union[str, None]


class LookupDataBundlesAnswerData(TypedDict):
    status: Literal[1]
    error: Literal[False]
    data: List[DataBundle]
    date: str
    message: str


class LookupDataBundlesAnswer(TypedDict):
    success: Literal[True]
    data: LookupDataBundlesAnswerData


class ListCorporateBundlesAnswer(TypedDict):
    success: Literal[True]
    status: Literal["success"]
    message: str
    data: List[CorporateBundle]


class FetchTvAddOnsAnswer(TypedDict):
    success: Literal[True]
    status: Literal["success"]
    message: str
    data: List[AddOn]


class FetchDataProvidersAnswer(TypedDict):
    success: Literal[True]
    billers: List[DataProvider]


class FetchCableProvidersAnswer(TypedDict):
    success: Literal[True]
    billers: List[CableProvider]


class FetchCablePlansAnswer(TypedDict):
    success: Literal[True]
    plans: List[CableProduct]


class VerifyBvnAnswer(TypedDict):
    success: Literal[True]
    message: str
    data: IdentityRecord
    idempotency_key: str
    match: NotRequired[str]


class VerifyNinAnswer(TypedDict):
    success: Literal[True]
    message: str
    data: IdentityRecord
    idempotency_key: str
    match: NotRequired[str]


class LookupWaecAmountAnswerData(TypedDict):
    amount: str


class LookupWaecAmountAnswer(TypedDict):
    success: Literal[True]
    status: Literal["success"]
    message: str
    data: LookupWaecAmountAnswerData


class GetVerificationAnswer(TypedDict):
    success: Literal[True]
    status: Literal["success"]
    message: str
    data: Verification


class FindVerificationAnswer(TypedDict):
    success: Literal[True]
    status: Literal["success"]
    message: str
    data: Verification


class FindKnownPersonAnswer(TypedDict):
    success: Literal[True]
    status: Literal["success"]
    message: str
    data: KnownPerson


class FetchWalletBalanceAnswerGeneralWallet(TypedDict):
    is_gl: Literal[0]
    can_be_negative: Literal[0]
    account_number: Literal[""]
    balance: str
    commission: Literal[0]
    status: Literal["active"]
    type: None


class FetchWalletBalanceAnswerSmeDataWallet(TypedDict):
    balance: str
    status: Literal["active"]


class FetchWalletBalanceAnswerCorporateDataWallet(TypedDict):
    balance: str
    status: Literal["active"]


class FetchWalletBalanceAnswer(TypedDict):
    success: Literal[True]
    status: Literal["success"]
    general_wallet: FetchWalletBalanceAnswerGeneralWallet
    sme_data_wallet: FetchWalletBalanceAnswerSmeDataWallet
    corporate_data_wallet: FetchWalletBalanceAnswerCorporateDataWallet


class AuthorizeMerchantAnswerData(TypedDict):
    business_name: str
    token: AccessToken


class AuthorizeMerchantAnswer(TypedDict):
    success: Literal[True]
    data: AuthorizeMerchantAnswerData


class WhoAmIAnswer(TypedDict):
    success: Literal[True]
    status: Literal["success"]
    message: str
    data: Caller


class ListCatalogueChangesAnswer(TypedDict):
    success: Literal[True]
    status: Literal["success"]
    message: str
    data: List[CatalogueChange]
    scheduled: List[ScheduledChange]
    next: str
    more: bool


class ListEventsAnswer(TypedDict):
    success: Literal[True]
    status: Literal["success"]
    message: str
    data: List[Union[VerificationSettledEvent, VerificationChargedEvent, VerificationReversedEvent,
        CataloguePublishedEvent, PriceScheduledEvent, KeyExpiringEvent, KeyRevokedEvent, AccountCapWarningEvent]]
    next: str
    more: bool


class TriggerEventAnswer(TypedDict):
    success: Literal[True]
    status: Literal["success"]
    message: str
    data: Union[VerificationSettledEvent, VerificationChargedEvent, VerificationReversedEvent, CataloguePublishedEvent,
        PriceScheduledEvent, KeyExpiringEvent, KeyRevokedEvent, AccountCapWarningEvent]


class AddEventEndpointAnswer(TypedDict):
    success: Literal[True]
    status: Literal["success"]
    message: str
    data: EventEndpoint
    secret: str


class ListEventEndpointsAnswer(TypedDict):
    success: Literal[True]
    status: Literal["success"]
    message: str
    data: List[ListedEndpoint]


class TestEventEndpointAnswer(TypedDict):
    success: Literal[True]
    status: Literal["success"]
    message: str
    data: EndpointTest


class ListEventDeliveriesAnswer(TypedDict):
    success: Literal[True]
    status: Literal["success"]
    message: str
    data: List[WebhookDelivery]
    next: str
    more: bool


class ResendEventsAnswer(TypedDict):
    success: Literal[True]
    status: Literal["success"]
    message: str
    data: Resent


class RollEventSecretAnswer(TypedDict):
    success: Literal[True]
    status: Literal["success"]
    message: str
    data: EventEndpoint
    secret: str
    old_secret_ends_at: str


class RemoveEventEndpointAnswer(TypedDict):
    success: Literal[True]
    status: Literal["success"]
    message: str
    data: EventEndpoint


class GetRequestAnswer(TypedDict):
    success: Literal[True]
    status: Literal["success"]
    message: str
    data: RequestEntry


class ListRequestsAnswer(TypedDict):
    success: Literal[True]
    status: Literal["success"]
    message: str
    data: List[RequestEntry]
    next: str
    more: bool


DubaEvent = Union[
    VerificationSettledEvent,
    VerificationChargedEvent,
    VerificationReversedEvent,
    CataloguePublishedEvent,
    PriceScheduledEvent,
    KeyExpiringEvent,
    KeyRevokedEvent,
    AccountCapWarningEvent,
]

# <!-- /types -->


def verified_event(body: Union[bytes, str], headers: Mapping[str, str], secret: str) -> DubaEvent:
    """The event of a delivery to your webhook.

    `body`: its bytes, before anything parsed it. `secret`: that of the endpoint, whsec_….

    Raises a DubaFailure with the code `wrong_delivery` if it is not signed with that secret, or older or newer than 5
    minutes. An event may come twice: pass over an `id` that you know.
    """
    raw = body.encode() if isinstance(body, str) else body
    given = {name.lower(): str(value) for name, value in headers.items()}
    stamp = given.get("webhook-timestamp", "")
    if not re.fullmatch("[0-9]{1,12}", stamp) or abs(time.time() - int(stamp)) > TOLERANCE:
        raise DubaFailure("wrong_delivery", "The delivery is not from now, or has no webhook-timestamp.")
    try:
        key = base64.b64decode(re.sub("^whsec_", "", secret), validate=True)
    except ValueError:
        key = b""
    if not key:
        raise ValueError("secret must be that of an endpoint: whsec_ and then base64.")
    # Some servers hand over bytes that are no UTF-8 as lone surrogates.
    signed = f"{given.get('webhook-id', '')}.{stamp}.".encode(errors="replace") + raw
    expected = b"v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest())
    signatures = given.get("webhook-signature", "").encode(errors="replace").split(b" ")
    if not any(hmac.compare_digest(expected, signature) for signature in signatures):
        raise DubaFailure("wrong_delivery", "The delivery is not signed with this secret.")
    event: DubaEvent = json.loads(raw)
    return event


class EventFeed:
    """The events of your account, oldest first, for `for`.

    `cursor` is the place after the last event that the feed gave: store it once you have dealt with the event, and begin
    there the next time. Without a `cursor` the feed begins now, with "0" at the oldest event. After the newest event it
    ends, or with `wait` asks again after that many seconds. With `wait` it also goes on after a failure that a retry may
    help; it raises any other failure as a DubaFailure.
    """

    def __init__(self, duba: Duba, cursor: Optional[str] = None, wait: Optional[float] = None):
        self.cursor = cursor
        self._duba = duba
        self._wait = wait

    def __iter__(self) -> Iterator[DubaEvent]:
        while True:
            # Within a page, the cursor names the page and the event that was given last.
            after, _, given = (self.cursor or "").partition(".")
            try:
                page = self._duba.list_events(after=after or None)
                if not _is_page(page, after):
                    about = "The answer (HTTP 200) is not a page of events. Check url, and what stands between."
                    raise DubaFailure("unexpected_answer", about, True, {"http_status": 200})
            except DubaFailure as failure:
                if self._wait is None or not failure.retryable:
                    raise
            else:
                events = page["data"]
                ids = [event["id"] for event in events]
                begin = ids.index(given) + 1 if given in ids else 0
                for at, event in enumerate(events[begin:], begin + 1):
                    self.cursor = page["next"] if at == len(events) else f"{after}.{event['id']}"
                    yield event
                self.cursor = page["next"]
                if page["more"]:
                    continue
            if self._wait is None:
                return
            time.sleep(self._wait)


_Texts = Mapping[str, Optional[str]]


class _Row(NamedTuple):
    """An operation as the wire needs it."""

    method: str
    path: str
    # Member of the answer with the requested data; "" if the client does not know it.
    payload: str
    # Members of the input and of the payload that hold the number of a person.
    number: Optional[Tuple[str, str]] = None
    # Set if a retry needs an idempotency key: the path that returns the state of a request by its key.
    state_by_key: Optional[str] = None


class _Request(NamedTuple):
    url: str
    method: str
    headers: Dict[str, str]
    body: Optional[bytes]
    timeout: float
    payload: str
    # Member of the payload, and the values of which it must have one.
    number: Optional[Tuple[str, Tuple[str, str]]] = None


class _AnyStatus(urllib.request.HTTPErrorProcessor):
    """Takes an answer of any status as it is, and follows no redirect."""

    def http_response(self, request: Any, response: Any) -> Any:
        return response

    https_response = http_response


class Duba:
    """The service at one address, with one key. The service describes each operation in full at /docs."""

    def __init__(self, url: str, key: Optional[str] = None, retries: int = 3, timeout: float = 30):
        """`url` may end with the prefix of the paths, /api/v2 or /api. Without a `key`, only the open look-ups answer.

        `timeout`: the most seconds that one request of a verification takes; a look-up takes at most 10.
        """
        if not re.fullmatch(r"https?://[^\s?#]+", url):
            raise ValueError("url must be an address such as https://duba.example.")
        if not (isinstance(retries, int) and retries >= 0 and timeout > 0):
            raise ValueError("retries must be a whole number, at least 0, and timeout seconds above 0.")
        self._host, self._prefix = re.fullmatch(r"(.+?)(/api(?:/v2)?)?/*", url).groups("/api/v2")  # type: ignore
        self._authorization = None if key is None else _header("key", f"Bearer {key}")
        self._retries = retries
        self._timeout = timeout
        self._opener = urllib.request.build_opener(_AnyStatus)

    def events(self, cursor: Optional[str] = None, wait: Optional[float] = None) -> EventFeed:
        """The events of your account, for `for`."""
        return EventFeed(self, cursor, wait)

    # <!-- operations -->
    def lookup_data_bundles(
        self,
        *,
        provider: Optional[str] = None,
        type: Optional[str] = None,
    ) -> LookupDataBundlesAnswer:
        """Lists the mobile data bundles of one data provider, or of every provider in turn when none is named."""
        row = _Row("GET", "/api/v2/internet/data/lookup", "data")
        given: _Texts = {"provider": provider, "type": type}
        answer: LookupDataBundlesAnswer = self._call(row, given)
        return answer

    def list_corporate_bundles(self) -> ListCorporateBundlesAnswer:
        """Lists the corporate data bundles, in the order of the list."""
        row = _Row("GET", "/api/v2/corporate-data/list", "data")
        given: _Texts = {}
        answer: ListCorporateBundlesAnswer = self._call(row, given)
        return answer

    def fetch_tv_add_ons(
        self,
        *,
        type: str,
        product_code: str,
    ) -> FetchTvAddOnsAnswer:
        """Lists what can be added to a cable-TV product."""
        row = _Row("GET", "/api/v2/cable-tv/fetch-tv-add-ons", "data")
        given: _Texts = {"type": type, "productCode": product_code}
        answer: FetchTvAddOnsAnswer = self._call(row, given)
        return answer

    def fetch_data_providers(self) -> FetchDataProvidersAnswer:
        """Lists the data providers."""
        row = _Row("GET", "/api/v2/internet/data/fetch-providers", "billers")
        given: _Texts = {}
        answer: FetchDataProvidersAnswer = self._call(row, given)
        return answer

    def fetch_cable_providers(self) -> FetchCableProvidersAnswer:
        """Lists the cable-TV providers."""
        row = _Row("GET", "/api/v2/cable-tv/fetch-providers", "billers")
        given: _Texts = {}
        answer: FetchCableProvidersAnswer = self._call(row, given)
        return answer

    def fetch_cable_plans(
        self,
        *,
        type: str,
    ) -> FetchCablePlansAnswer:
        """Lists the products of a cable-TV provider."""
        row = _Row("GET", "/api/v2/cable-tv/fetch-billers", "plans")
        given: _Texts = {"type": type}
        answer: FetchCablePlansAnswer = self._call(row, given)
        return answer

    def verify_bvn(
        self,
        *,
        bvn: str,
        phone: str,
        amount: str,
        first_name: Optional[str] = None,
        last_name: Optional[str] = None,
        date_of_birth: Optional[str] = None,
        idempotency_key: Optional[str] = None,
        consent_reference: Optional[str] = None,
        traceparent: Optional[str] = None,
    ) -> VerifyBvnAnswer:
        """Verifies a customer's BVN and phone number and returns the identity record."""
        row = _Row("POST", "/api/v2/kyc/verify-bvn", "data", ("bvn", "bvn_number"), "/api/v2/kyc/verifications")
        given: _Texts = {"bvn": bvn, "phone": phone, "amount": amount, "first_name": first_name, "last_name": last_name,
            "date_of_birth": date_of_birth}
        options: _Texts = {"idempotency-key": idempotency_key, "consent-reference": consent_reference,
            "traceparent": traceparent}
        answer: VerifyBvnAnswer = self._call(row, given, options)
        return answer

    def verify_nin(
        self,
        *,
        nin: str,
        phone: str,
        amount: str,
        first_name: Optional[str] = None,
        last_name: Optional[str] = None,
        date_of_birth: Optional[str] = None,
        idempotency_key: Optional[str] = None,
        consent_reference: Optional[str] = None,
        traceparent: Optional[str] = None,
    ) -> VerifyNinAnswer:
        """Verifies a customer's NIN and phone number and returns the identity record that `verifyBvn` returns, with the
        NIN in `nin` and an empty `bvn_number`."""
        row = _Row("POST", "/api/v2/kyc/verify-nin", "data", ("nin", "nin"), "/api/v2/kyc/verifications")
        given: _Texts = {"nin": nin, "phone": phone, "amount": amount, "first_name": first_name, "last_name": last_name,
            "date_of_birth": date_of_birth}
        options: _Texts = {"idempotency-key": idempotency_key, "consent-reference": consent_reference,
            "traceparent": traceparent}
        answer: VerifyNinAnswer = self._call(row, given, options)
        return answer

    def lookup_waec_amount(self) -> LookupWaecAmountAnswer:
        """Gives the `amount` that the BVN verification asks for, from the fee schedule of this service."""
        row = _Row("GET", "/api/v2/education/waec-lookup", "data")
        given: _Texts = {}
        answer: LookupWaecAmountAnswer = self._call(row, given)
        return answer

    def get_verification(
        self,
        *,
        request_reference: str,
    ) -> GetVerificationAnswer:
        """Tells what became of a verification, by its `request_reference`."""
        row = _Row("GET", "/api/v2/kyc/verifications/{request_reference}", "data")
        given: _Texts = {"request_reference": request_reference}
        answer: GetVerificationAnswer = self._call(row, given)
        return answer

    def find_verification(
        self,
        *,
        idempotency_key: Optional[str] = None,
    ) -> FindVerificationAnswer:
        """Tells what became of a verification, by the idempotency key it was sent with: in the query string or in an
        `Idempotency-Key` header."""
        row = _Row("GET", "/api/v2/kyc/verifications", "data")
        given: _Texts = {"idempotency_key": idempotency_key}
        answer: FindVerificationAnswer = self._call(row, given)
        return answer

    def find_known_person(
        self,
        *,
        bvn: Optional[str] = None,
        nin: Optional[str] = None,
    ) -> FindKnownPersonAnswer:
        """Says whether your account verified the person with this BVN or NIN in the last 24 months, in the mode of the
        key: when, under which reference, and until when its record is held. Since 0.2.0."""
        row = _Row("POST", "/api/v2/kyc/known", "data")
        given: _Texts = {"bvn": bvn, "nin": nin}
        answer: FindKnownPersonAnswer = self._call(row, given)
        return answer

    def fetch_wallet_balance(self) -> FetchWalletBalanceAnswer:
        """Gives what your account can still spend on verifications in `general_wallet.balance`: its prepaid balance,
        else what its monthly cap in naira leaves."""
        row = _Row("GET", "/api/v2/wallet/balance", "general_wallet")
        given: _Texts = {}
        answer: FetchWalletBalanceAnswer = self._call(row, given)
        return answer

    def authorize_merchant(
        self,
        *,
        email: Optional[str] = None,
        password: Optional[str] = None,
    ) -> AuthorizeMerchantAnswer:
        """Gives a token that stands for the API key for 24 hours, and dies with the key."""
        row = _Row("POST", "/api/v2/merchant/authorization", "data")
        given: _Texts = {"email": email, "password": password}
        answer: AuthorizeMerchantAnswer = self._call(row, given)
        return answer

    def who_am_i(self) -> WhoAmIAnswer:
        """Names the account and the key of the request, its mode and scopes, when the key expires and from where it may
        be used, how much of each rate limit is left, and what is left of a monthly cap or a prepaid balance."""
        row = _Row("GET", "/api/v2/me", "data")
        given: _Texts = {}
        answer: WhoAmIAnswer = self._call(row, given)
        return answer

    def list_catalogue_changes(
        self,
        *,
        after: Optional[str] = None,
        limit: Optional[str] = None,
    ) -> ListCatalogueChangesAnswer:
        """Lists what was added, modified and removed in the catalogue, so that a copy of it stays up to date without
        fetching every list again."""
        row = _Row("GET", "/api/v2/catalogue/changes", "data")
        given: _Texts = {"after": after, "limit": limit}
        answer: ListCatalogueChangesAnswer = self._call(row, given)
        return answer

    def list_events(
        self,
        *,
        after: Optional[str] = None,
        limit: Optional[str] = None,
    ) -> ListEventsAnswer:
        """Lists the events that webhooks deliver, with the same bodies, in the mode of your key."""
        row = _Row("GET", "/api/v2/events", "data")
        given: _Texts = {"after": after, "limit": limit}
        answer: ListEventsAnswer = self._call(row, given)
        return answer

    def trigger_event(
        self,
        *,
        type: str,
    ) -> TriggerEventAnswer:
        """Makes an event of a type with invented data, for test keys only: `GET /api/v2/events` lists it, and endpoints
        of the account's test mode get it."""
        row = _Row("POST", "/api/v2/events/trigger", "data")
        given: _Texts = {"type": type}
        answer: TriggerEventAnswer = self._call(row, given)
        return answer

    def add_event_endpoint(
        self,
        *,
        url: str,
        types: Optional[str] = None,
    ) -> AddEventEndpointAnswer:
        """Adds an endpoint that gets the events of your account, in the mode of your key, as signed webhooks. Since
        0.2.0."""
        row = _Row("POST", "/api/v2/events/endpoints", "data")
        given: _Texts = {"url": url, "types": types}
        answer: AddEventEndpointAnswer = self._call(row, given)
        return answer

    def list_event_endpoints(self) -> ListEventEndpointsAnswer:
        """Lists the endpoints of your account in the mode of your key, oldest first, without their secrets: who made
        each, whether it is on, and what became of the last delivery. Since 0.2.0."""
        row = _Row("GET", "/api/v2/events/endpoints", "data")
        given: _Texts = {}
        answer: ListEventEndpointsAnswer = self._call(row, given)
        return answer

    def test_event_endpoint(
        self,
        *,
        id: str,
    ) -> TestEventEndpointAnswer:
        """Sends `endpoint.test` to an endpoint once, signed like all deliveries, and says what came back within 8
        seconds. Since 0.2.0."""
        row = _Row("POST", "/api/v2/events/endpoints/{id}/test", "data")
        given: _Texts = {"id": id}
        answer: TestEventEndpointAnswer = self._call(row, given)
        return answer

    def list_event_deliveries(
        self,
        *,
        id: str,
        after: Optional[str] = None,
        limit: Optional[str] = None,
    ) -> ListEventDeliveriesAnswer:
        """Lists what became of the events for an endpoint, oldest event first. Since 0.2.0."""
        row = _Row("GET", "/api/v2/events/endpoints/{id}/deliveries", "data")
        given: _Texts = {"id": id, "after": after, "limit": limit}
        answer: ListEventDeliveriesAnswer = self._call(row, given)
        return answer

    def resend_events(
        self,
        *,
        id: str,
        event: Optional[str] = None,
    ) -> ResendEventsAnswer:
        """Sends all events that are dead for an endpoint again, or the one that you name, also if it was delivered.
        Since 0.2.0."""
        row = _Row("POST", "/api/v2/events/endpoints/{id}/resend", "data")
        given: _Texts = {"id": id, "event": event}
        answer: ResendEventsAnswer = self._call(row, given)
        return answer

    def roll_event_secret(
        self,
        *,
        id: str,
        overlap: Optional[str] = None,
    ) -> RollEventSecretAnswer:
        """Gives an endpoint a new secret, which is shown this once. Since 0.2.0."""
        row = _Row("POST", "/api/v2/events/endpoints/{id}/secret", "data")
        given: _Texts = {"id": id, "overlap": overlap}
        answer: RollEventSecretAnswer = self._call(row, given)
        return answer

    def remove_event_endpoint(
        self,
        *,
        id: str,
    ) -> RemoveEventEndpointAnswer:
        """Removes an endpoint of your account in the mode of your key, and all deliveries that wait for it. Since
        0.2.0."""
        row = _Row("DELETE", "/api/v2/events/endpoints/{id}", "data")
        given: _Texts = {"id": id}
        answer: RemoveEventEndpointAnswer = self._call(row, given)
        return answer

    def get_request(
        self,
        *,
        request_id: str,
    ) -> GetRequestAnswer:
        """Tells how a request was answered, by the `X-Request-Id` of its answer."""
        row = _Row("GET", "/api/v2/requests/{request_id}", "data")
        given: _Texts = {"request_id": request_id}
        answer: GetRequestAnswer = self._call(row, given)
        return answer

    def list_requests(
        self,
        *,
        after: Optional[str] = None,
        limit: Optional[str] = None,
    ) -> ListRequestsAnswer:
        """Lists how requests of your account were answered, in the mode of the key, oldest first."""
        row = _Row("GET", "/api/v2/requests", "data")
        given: _Texts = {"after": after, "limit": limit}
        answer: ListRequestsAnswer = self._call(row, given)
        return answer

    # <!-- /operations -->

    def get(self, path: str, **query: str) -> Any:
        """A look-up by its path, as in the client of 0.1.0. The methods have names and types."""
        return self._call(_Row("GET", path, ""), query)

    def verify(self, kind: str, person: Mapping[str, str], idempotency_key: Optional[str] = None) -> Any:
        """Verifies a person by "bvn" or "nin", as in the client of 0.1.0. The methods have names and types."""
        return getattr(self, f"verify_{kind}")(**person, idempotency_key=idempotency_key)

    def _call(self, row: _Row, given: _Texts, options: Optional[_Texts] = None) -> Any:
        rest = {name: value for name, value in given.items() if value is not None}
        headers = {"accept": "application/json"}
        if self._authorization is not None:
            headers["authorization"] = self._authorization
        for name, value in (options or {}).items():
            if value is not None:
                headers[name] = _header(name, value)
        path = re.sub(r"\{(\w+)\}", lambda place: quote(str(rest.pop(place[1], "")), safe=""), row.path)
        timeout = self._timeout if row.state_by_key else min(self._timeout, 10)
        body = None
        if row.method in ("GET", "DELETE"):
            path += f"?{urlencode(rest, errors='replace')}" if rest else ""
        else:
            headers["content-type"] = "application/json"
            body = json.dumps(rest).encode()
        request = _Request(self._url(path), row.method, headers, body, timeout, row.payload)
        if row.state_by_key is None:
            return self._repeated(request)
        key = headers.setdefault("idempotency-key", str(uuid.uuid4()))
        if row.number is not None:
            number = str(given[row.number[0]]).replace(" ", "")
            # An account with masked answers gets only the last digits.
            request = request._replace(number=(row.number[1], (number, f"*******{number[-4:]}")))
        question = _Request(self._url(row.state_by_key), "GET", headers, None, timeout, "data")
        try:
            return {**self._verified(request, question), "idempotency_key": key}
        except DubaFailure as failure:
            failure.error["idempotency_key"] = key
            raise

    def _repeated(self, request: _Request) -> Dict[str, Any]:
        """Sends a request, and repeats it while its failure is retryable."""
        tries = 0
        while True:
            try:
                return self._sent(request)
            except DubaFailure as failure:
                # After a lost answer to a change without a key, the client cannot know whether the change was made.
                if request.method != "GET" and failure._is_lost():
                    raise
                self._wait(failure, tries)
                tries += 1

    def _verified(self, request: _Request, question: _Request) -> Dict[str, Any]:
        """Sends a verification.

        After a lost answer the client first asks for the state of the key's verification, until that has ended. Only then
        does it send the identical request again: the service repeats the answer, or resumes the verification.
        """
        deadline = time.monotonic() + request.timeout
        tries = 0
        while True:
            try:
                return self._sent(request)
            except DubaFailure as failure:
                self._wait(failure, tries)
                while failure._is_lost() and self._may_run(question, deadline):
                    # A running verification does not count as a failed try.
                    time.sleep(1)
                tries += 1

    def _may_run(self, question: _Request, deadline: float) -> bool:
        try:
            data = self._sent(question)["data"]
        except DubaFailure:
            return False
        return isinstance(data, dict) and data.get("state") == "started" and time.monotonic() < deadline

    def _wait(self, failure: DubaFailure, tries: int) -> None:
        """Waits before the next try; raises the failure if there is none."""
        if not failure.retryable or tries >= self._retries or failure.retry_after > LONGEST_WAIT:
            raise failure
        most = min(0.25 * 2**tries, LONGEST_WAIT)
        time.sleep(failure.retry_after + most * (random.random() if failure.retry_after else random.uniform(0.5, 1)))

    def _sent(self, request: _Request) -> Dict[str, Any]:
        """Sends a request once."""
        deadline = time.monotonic() + request.timeout
        sending = urllib.request.Request(request.url, request.body, request.headers, method=request.method)
        text = b""
        try:
            with self._opener.open(sending, timeout=request.timeout) as response:
                while True:
                    part = response.read1(65536)
                    text += part
                    if not part:
                        break
                    if time.monotonic() > deadline:
                        raise TimeoutError
        # A lying network makes the library raise errors of many types.
        except Exception:
            raise DubaFailure("no_answer", "The connection failed, or the time ran out.", True) from None
        return _answer_of(response.status, response.headers, text, request)

    def _url(self, path: str) -> str:
        return self._host + path.replace("/api/v2", self._prefix, 1)


def _answer_of(status: int, headers: Mapping[str, str], text: bytes, request: _Request) -> Dict[str, Any]:
    """Reads an answer. What is no failure of Duba, and no success with the requested data, is `unexpected_answer`."""
    try:
        answer = json.loads(text)
    except (ValueError, RecursionError):
        answer = None
    if not isinstance(answer, dict):
        answer = {}
    if status == 200 and answer.get("success") is True and _is_whole(answer, request):
        match = headers.get("Duba-Match")
        return {**answer, "match": match} if match else answer
    facts: Dict[str, Any] = {"http_status": status}
    wait = headers.get("Retry-After", "")
    if re.fullmatch("[0-9]{1,9}", wait):
        facts["retry_after"] = int(wait)
    error = answer.get("error")
    error = error if isinstance(error, dict) else {}
    code: Any = error.get("code")
    message: Any = answer.get("message")
    retryable = error.get("retryable")
    is_failure = answer.get("success") is False and isinstance(code, str) and isinstance(message, str)
    if is_failure and isinstance(retryable, bool):
        error.pop("retry_after", None)
        raise DubaFailure(code, message, retryable, {**error, **facts})
    # Gateways have failures of their own.
    facts["request_id"] = headers.get("X-Request-Id", "")
    about = f"The answer (HTTP {status}) is not one of Duba. Check url, and what stands between."
    raise DubaFailure("unexpected_answer", about, status in (200, 408, 429) or status >= 500, facts)


def _is_whole(answer: Dict[str, Any], request: _Request) -> bool:
    """Whether an answer has its payload, and a verification's person has the requested number."""
    payload = answer.get(request.payload)
    if request.number is None:
        return request.payload == "" or isinstance(payload, (dict, list))
    member, values = request.number
    return isinstance(payload, dict) and payload.get(member) in values


def _is_page(answer: Mapping[str, Any], after: str) -> bool:
    """Whether a feed can go on from an answer to `after`: something other than Duba may answer anything."""
    events, place, more = answer["data"], answer.get("next"), answer.get("more")
    are_events = isinstance(events, list) and all(
        isinstance(event, dict) and isinstance(event.get("id"), str) for event in events
    )
    return are_events and isinstance(place, str) and isinstance(more, bool) and not (more and place == after)


def _header(name: str, value: str) -> str:
    """Refuses what a header cannot hold, without repeating it."""
    if not re.fullmatch(r"[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?", value):
        raise ValueError(f"{name} must be text of visible ASCII characters.")
    return value
