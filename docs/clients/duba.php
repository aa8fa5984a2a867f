<?php

declare(strict_types=1);

// A client for Duba in one file, for PHP 8.1 and newer. It needs no package. Copy it into your project.
//
// A method returns the answer, or throws a DubaFailure. An InvalidArgumentException says that an option of yours cannot be right.

/**
 * A failure of the service, or of the way to it. Switch on `errorCode`; `error` is the member `error` of the answer.
 *
 * Codes of the client itself are `no_answer` (no connection, or no time left), `unexpected_answer` (something other than Duba answered,
 * such as a proxy) and `wrong_delivery` (what came to your webhook is not from Duba).
 */
final class DubaFailure extends RuntimeException
{
    /** @var array<string, mixed> with `http_status` (0: no answer) and, if there is one, `retry_after` and `idempotency_key` */
    public array $error;
    /** Seconds that the service asks you to wait. */
    public readonly int $retryAfter;
    /** Key of the verification that failed. Call again with it: you are charged once at most. */
    public ?string $idempotencyKey = null;

    /** @param array<string, mixed> $error */
    public function __construct(
        public readonly string $errorCode,
        string $message,
        public readonly bool $retryable = false,
        array $error = [],
    ) {
        parent::__construct($message);
        $known = ['code' => $errorCode, 'retryable' => $retryable, 'request_id' => '', 'help' => '', 'http_status' => 0];
        $this->error = [...$known, ...$error];
        $this->retryAfter = $this->error['retry_after'] ?? 0;
    }

    public function with(string $idempotencyKey): self
    {
        $this->idempotencyKey = $this->error['idempotency_key'] = $idempotencyKey;
        return $this;
    }

    /** True if the service may have done what it was asked, or is still doing it. */
    public function isLost(): bool
    {
        return in_array($this->errorCode, ['no_answer', 'unexpected_answer', 'request_in_progress'], true);
    }
}

/**
 * The events of your account, oldest first, for `foreach`.
 *
 * `cursor` is the place after the last event that the feed gave: store it once you have dealt with the event, and begin there the next time.
 * Without a `cursor` the feed begins now, with "0" at the oldest event. After the newest event it ends, or with `wait` asks again after that
 * many seconds. With `wait` it also goes on after a failure that a retry may help; it throws any other failure as a DubaFailure.
 *
 * @implements IteratorAggregate<int, array<string, mixed>>
 */
final class DubaEventFeed implements IteratorAggregate
{
    public function __construct(
        private readonly Duba $duba,
        public ?string $cursor = null,
        private readonly ?float $wait = null,
    ) {
    }

    public function getIterator(): Generator
    {
        while (true) {
            // Within a page, the cursor names the page and the event that was given last.
            [$after, $given] = explode('.', "$this->cursor.");
            try {
                $page = $this->duba->listEvents($after === '' ? null : $after);
                if (!self::isPage($page, $after)) {
                    $about = 'The answer (HTTP 200) is not a page of events. Check url, and what stands between.';
                    throw new DubaFailure('unexpected_answer', $about, true, ['http_status' => 200]);
                }
                ['data' => $events, 'next' => $next, 'more' => $more] = $page;
                $place = array_search($given, array_column($events, 'id'), true);
                $rest = $place === false ? $events : array_slice($events, $place + 1);
                foreach ($rest as $at => $event) {
                    $this->cursor = $at === count($rest) - 1 ? $next : "$after.{$event['id']}";
                    yield $event;
                }
                $this->cursor = $next;
            } catch (DubaFailure $failure) {
                if ($this->wait === null || !$failure->retryable) {
                    throw $failure;
                }
                $more = false;
            }
            if (!$more && $this->wait === null) {
                return;
            }
            if (!$more) {
                usleep((int) ($this->wait * 1_000_000));
            }
        }
    }

    /**
     * Whether the feed can go on from an answer to `$after`: something other than Duba may answer anything.
     *
     * @param array<string, mixed> $answer
     */
    private static function isPage(array $answer, string $after): bool
    {
        ['data' => $events, 'next' => $next, 'more' => $more] = $answer + ['next' => null, 'more' => null];
        foreach ($events as $event) {
            if (!is_array($event) || !is_string($event['id'] ?? null)) {
                return false;
            }
        }
        return array_is_list($events) && is_string($next) && is_bool($more) && !($more && $next === $after);
    }
}

/**
 * The service at one address, with one key. The service describes each operation in full at `/docs`.
 *
 * <!-- types -->
 * @phpstan-type DataBundle array{type: string, code: string, description: string, amount: string, price: string, value: string, duration:
 *   string}
 * @phpstan-type CorporateBundle array{description: string, code: string}
 * @phpstan-type AddOn array{add_on_product_code: string, product_code: string, name: string, price: string, type: string}
 * @phpstan-type DataProvider array{type: string, id: int, name: string, narration: string, image: string}
 * @phpstan-type CableProvider array{type: string, id: int, name: string, narration: string, image: string}
 * @phpstan-type CableProduct array{id: int, type: string, code: string, name: string, description: string, price: string, amount: string}
 * @phpstan-type IdentityRecord array{request_reference: string, bvn_number: string, name_on_card: string, enrolment_branch: string,
 *   enrolment_bank: string, formatted_registration_date: string|null, level_of_account: string, nin: string, watchlisted: string|null,
 *   verification_status: string, service_type: string, personal_info: PersonalInfo, residential_info: ResidentialInfo}
 * @phpstan-type PersonalInfo array{first_name: string, middle_name: string, last_name: string, full_name: string, email: string, gender:
 *   string, phone_number: string, phone_number_2: string|null, date_of_birth: string, formatted_date_of_birth: string, lga_of_origin: string,
 *   state_of_origin: string, nationality: string, marital_status: string}
 * @phpstan-type ResidentialInfo array{state_of_residence: string, lga_of_residence: string, residential_address: string}
 * @phpstan-type Verification array{request_reference: string, state: 'started'|'verified'|'not_found'|'phone_mismatch'|'blocked'|'refused'|
 *   'failed'|'unknown', charged: bool, fee: string, attempts: int, created_at: string, completed_at: string|null}
 * @phpstan-type KnownPerson array{known: bool, request_reference: string|null, verified_at: string|null, record_held_until: string|null}
 * @phpstan-type AccessToken array{access_token: string, token_type: 'Bearer', expires_at: string}
 * @phpstan-type Caller array{account: array{id: string, name: string}, key: array{id: string, label: string, expires_at: string|null,
 *   addresses: list<string>}, mode: 'test'|'live', scopes: list<'catalogue:read'|'identity:verify'|'events:manage'>, limits: list<array{name:
 *   string, requests: int, seconds: int, left: int, resets_in: int}>, spending: array{prepaid: bool, cap_naira: string|null,
 *   cap_verifications: int|null, left_naira: string|null, left_verifications: int|null, renews_at: string|null}}
 * @phpstan-type CatalogueChange array{revision: int, list: 'data-providers'|'data-bundles'|'corporate-bundles'|'cable-providers'|
 *   'cable-products'|'cable-add-ons'|'prices', change: 'added'|'modified'|'removed', holds_from: string, old: DataProvider|DataBundle|
 *   CorporateBundle|CableProvider|CableProduct|AddOn|OwnPrice|null, new: DataProvider|DataBundle|CorporateBundle|CableProvider|CableProduct|
 *   AddOn|OwnPrice|null}
 * @phpstan-type OwnPrice array{of: string}
 * @phpstan-type ScheduledChange array{list: 'data-providers'|'data-bundles'|'corporate-bundles'|'cable-providers'|'cable-products'|
 *   'cable-add-ons'|'prices', change: 'added'|'modified'|'removed', holds_from: string, old: DataProvider|DataBundle|CorporateBundle|
 *   CableProvider|CableProduct|AddOn|OwnPrice|null, new: DataProvider|DataBundle|CorporateBundle|CableProvider|CableProduct|AddOn|OwnPrice|
 *   null}
 * @phpstan-type VerificationSettledEvent array{id: string, type: 'verification.settled', timestamp: string, mode: 'test'|'live'|null,
 *   rehearsed?: true, data: array{request_reference: string, kind: 'bvn'|'nin', state: 'verified'|'not_found'|'phone_mismatch'|'blocked'|
 *   'failed', charged: bool}}
 * @phpstan-type VerificationChargedEvent array{id: string, type: 'verification.charged', timestamp: string, mode: 'test'|'live'|null,
 *   rehearsed?: true, data: array{request_reference: string|null, kind: 'bvn'|'nin'|null, fee: string, charged_at: string}}
 * @phpstan-type VerificationReversedEvent array{id: string, type: 'verification.reversed', timestamp: string, mode: 'test'|'live'|null,
 *   rehearsed?: true, data: array{request_reference: string|null, kind: 'bvn'|'nin'|null, fee: string, charged_at: string}}
 * @phpstan-type CataloguePublishedEvent array{id: string, type: 'catalogue.published', timestamp: string, mode: 'test'|'live'|null,
 *   rehearsed?: true, data: array{revision: int, added: int, modified: int, removed: int, changes: string}}
 * @phpstan-type PriceScheduledEvent array{id: string, type: 'price.scheduled', timestamp: string, mode: 'test'|'live'|null, rehearsed?: true,
 *   data: array{draft: string, holds_from: string, prices: int}}
 * @phpstan-type KeyExpiringEvent array{id: string, type: 'key.expiring', timestamp: string, mode: 'test'|'live'|null, rehearsed?: true, data:
 *   array{key: string, expires_at: string}}
 * @phpstan-type KeyRevokedEvent array{id: string, type: 'key.revoked', timestamp: string, mode: 'test'|'live'|null, rehearsed?: true, data:
 *   array{key: string, revoked_at: string}}
 * @phpstan-type AccountCapWarningEvent array{id: string, type: 'account.cap_warning', timestamp: string, mode: 'test'|'live'|null,
 *   rehearsed?: true, data: array{terms: 'cap'|'balance', month: string|null, used_up: bool}}
 * @phpstan-type EventEndpoint array{id: string, url: string, mode: 'test'|'live', types: list<string>, state: 'on'|'off', off_since: string|
 *   null, created_at: string, made_by: string|null}
 * @phpstan-type ListedEndpoint array{id: string, url: string, mode: 'test'|'live', types: list<string>, state: 'on'|'off', off_since: string|
 *   null, created_at: string, made_by: string|null, last_delivery: WebhookDelivery|null}
 * @phpstan-type WebhookDelivery array{event: string, type: string, happened_at: string, state: 'waiting'|'delivered'|'dead', attempts: int,
 *   tried_at: string|null, status: int|null, outcome: string|null, next_try_at: string|null}
 * @phpstan-type EndpointTest array{delivered: bool, status: int|null, outcome: string, milliseconds: int}
 * @phpstan-type Resent array{events: int}
 * @phpstan-type RequestEntry array{request_id: string, operation: string, path: string|null, status: int, code: string|null, wrong:
 *   list<string>, duration: int, request_reference: string|null, answered_at: string, hint: string|null}
 * @phpstan-type LookupDataBundlesAnswer array{success: true, data: array{status: 1, error: false, data: list<DataBundle>, date: string,
 *   message: string}}
 * @phpstan-type ListCorporateBundlesAnswer array{success: true, status: 'success', message: string, data: list<CorporateBundle>}
 * @phpstan-type FetchTvAddOnsAnswer array{success: true, status: 'success', message: string, data: list<AddOn>}
 * @phpstan-type FetchDataProvidersAnswer array{success: true, billers: list<DataProvider>}
 * @phpstan-type FetchCableProvidersAnswer array{success: true, billers: list<CableProvider>}
 * @phpstan-type FetchCablePlansAnswer array{success: true, plans: list<CableProduct>}
 * @phpstan-type VerifyBvnAnswer array{success: true, message: string, data: IdentityRecord, idempotency_key: string, match?: string}
 * @phpstan-type VerifyNinAnswer array{success: true, message: string, data: IdentityRecord, idempotency_key: string, match?: string}
 * @phpstan-type LookupWaecAmountAnswer array{success: true, status: 'success', message: string, data: array{amount: string}}
 * @phpstan-type GetVerificationAnswer array{success: true, status: 'success', message: string, data: Verification}
 * @phpstan-type FindVerificationAnswer array{success: true, status: 'success', message: string, data: Verification}
 * @phpstan-type FindKnownPersonAnswer array{success: true, status: 'success', message: string, data: KnownPerson}
 * @phpstan-type FetchWalletBalanceAnswer array{success: true, status: 'success', general_wallet: array{is_gl: 0, can_be_negative: 0,
 *   account_number: '', balance: string, commission: 0, status: 'active', type: null}, sme_data_wallet: array{balance: string, status:
 *   'active'}, corporate_data_wallet: array{balance: string, status: 'active'}}
 * @phpstan-type AuthorizeMerchantAnswer array{success: true, data: array{business_name: string, token: AccessToken}}
 * @phpstan-type WhoAmIAnswer array{success: true, status: 'success', message: string, data: Caller}
 * @phpstan-type ListCatalogueChangesAnswer array{success: true, status: 'success', message: string, data: list<CatalogueChange>, scheduled:
 *   list<ScheduledChange>, next: string, more: bool}
 * @phpstan-type ListEventsAnswer array{success: true, status: 'success', message: string, data: list<VerificationSettledEvent|
 *   VerificationChargedEvent|VerificationReversedEvent|CataloguePublishedEvent|PriceScheduledEvent|KeyExpiringEvent|KeyRevokedEvent|
 *   AccountCapWarningEvent>, next: string, more: bool}
 * @phpstan-type TriggerEventAnswer array{success: true, status: 'success', message: string, data: VerificationSettledEvent|
 *   VerificationChargedEvent|VerificationReversedEvent|CataloguePublishedEvent|PriceScheduledEvent|KeyExpiringEvent|KeyRevokedEvent|
 *   AccountCapWarningEvent}
 * @phpstan-type AddEventEndpointAnswer array{success: true, status: 'success', message: string, data: EventEndpoint, secret: string}
 * @phpstan-type ListEventEndpointsAnswer array{success: true, status: 'success', message: string, data: list<ListedEndpoint>}
 * @phpstan-type TestEventEndpointAnswer array{success: true, status: 'success', message: string, data: EndpointTest}
 * @phpstan-type ListEventDeliveriesAnswer array{success: true, status: 'success', message: string, data: list<WebhookDelivery>, next: string,
 *   more: bool}
 * @phpstan-type ResendEventsAnswer array{success: true, status: 'success', message: string, data: Resent}
 * @phpstan-type RollEventSecretAnswer array{success: true, status: 'success', message: string, data: EventEndpoint, secret: string,
 *   old_secret_ends_at: string}
 * @phpstan-type RemoveEventEndpointAnswer array{success: true, status: 'success', message: string, data: EventEndpoint}
 * @phpstan-type GetRequestAnswer array{success: true, status: 'success', message: string, data: RequestEntry}
 * @phpstan-type ListRequestsAnswer array{success: true, status: 'success', message: string, data: list<RequestEntry>, next: string, more:
 *   bool}
 * @phpstan-type DubaEvent VerificationSettledEvent|VerificationChargedEvent|VerificationReversedEvent|CataloguePublishedEvent|
 *   PriceScheduledEvent|KeyExpiringEvent|KeyRevokedEvent|AccountCapWarningEvent
 * <!-- /types -->
 */
final class Duba
{
    /** Seconds. A failure that asks for a longer wait is thrown at once. */
    private const LONGEST_WAIT = 10;
    /** Seconds by which a delivery may be older or newer than now. */
    private const TOLERANCE = 300;

    private readonly string $host;
    private readonly string $prefix;
    /** @var array<string, string> */
    private readonly array $headers;

    /**
     * @param string $url may end with the prefix of the paths, `/api/v2` or `/api`
     * @param ?string $key without it, only the open look-ups answer
     * @param float $timeout the most seconds that one request of a verification takes; a look-up takes at most 10
     */
    public function __construct(
        string $url,
        #[SensitiveParameter] ?string $key = null,
        private readonly int $retries = 3,
        private readonly float $timeout = 30,
    ) {
        if (!preg_match('~^(https?://[^\s?#]+?)(/api(?:/v2)?)?/*$~D', $url, $parts)) {
            throw new InvalidArgumentException('url must be an address such as https://duba.example.');
        }
        if ($retries < 0 || $timeout <= 0) {
            throw new InvalidArgumentException('retries must be at least 0, and timeout seconds above 0.');
        }
        $this->host = $parts[1];
        $this->prefix = $parts[2] ?? '/api/v2';
        $this->headers = ['accept' => 'application/json']
            + ($key === null ? [] : ['authorization' => 'Bearer ' . self::header('key', $key)]);
    }

    /** Leaves the key out of what var_dump prints. */
    public function __debugInfo(): array
    {
        return ['host' => $this->host];
    }

    /** The events of your account, for `foreach`. */
    public function events(?string $cursor = null, ?float $wait = null): DubaEventFeed
    {
        return new DubaEventFeed($this, $cursor, $wait);
    }

    /**
     * The event of a delivery to your webhook. Throws a DubaFailure with the code `wrong_delivery` if it is not signed with the secret, or older or
     * newer than 5 minutes. An event may come twice: pass over an `id` that you know.
     *
     * @param string $body as it came, before anything parsed it
     * @param array<string, string|list<?string>> $headers such as `getallheaders()` or `$request->headers->all()`
     * @param string $secret that of the endpoint, `whsec_…`
     * @return DubaEvent
     * @throws DubaFailure
     */
    public static function verifiedEvent(string $body, array $headers, #[SensitiveParameter] string $secret): array
    {
        $given = [];
        foreach ($headers as $name => $value) {
            $given[strtolower((string) $name)] = (string) (is_array($value) ? $value[0] ?? '' : $value);
        }
        $id = $given['webhook-id'] ?? '';
        $time = $given['webhook-timestamp'] ?? '';
        if (!preg_match('/^\d{1,12}$/D', $time) || abs(time() - (int) $time) > self::TOLERANCE) {
            throw new DubaFailure('wrong_delivery', 'The delivery is not from now, or has no webhook-timestamp.');
        }
        $key = base64_decode((string) preg_replace('/^whsec_/', '', $secret), true);
        if ($key === false || $key === '') {
            throw new InvalidArgumentException('secret must be that of an endpoint: whsec_ and then base64.');
        }
        $expected = 'v1,' . base64_encode(hash_hmac('sha256', "$id.$time.$body", $key, true));
        foreach (explode(' ', $given['webhook-signature'] ?? '') as $signature) {
            if (hash_equals($expected, $signature)) {
                return json_decode($body, true);
            }
        }
        throw new DubaFailure('wrong_delivery', 'The delivery is not signed with this secret.');
    }

    // <!-- operations -->
    /**
     * Lists the mobile data bundles of one data provider, or of every provider in turn when none is named.
     *
     * @return LookupDataBundlesAnswer
     * @throws DubaFailure
     */
    public function lookupDataBundles(?string $provider = null, ?string $type = null): array
    {
        return $this->call('GET', '/api/v2/internet/data/lookup', 'data', ['provider' => $provider, 'type' => $type]);
    }

    /**
     * Lists the corporate data bundles, in the order of the list.
     *
     * @return ListCorporateBundlesAnswer
     * @throws DubaFailure
     */
    public function listCorporateBundles(): array
    {
        return $this->call('GET', '/api/v2/corporate-data/list', 'data');
    }

    /**
     * Lists what can be added to a cable-TV product.
     *
     * @return FetchTvAddOnsAnswer
     * @throws DubaFailure
     */
    public function fetchTvAddOns(string $type, string $productCode): array
    {
        return $this->call('GET', '/api/v2/cable-tv/fetch-tv-add-ons', 'data', ['type' => $type, 'productCode' => $productCode]);
    }

    /**
     * Lists the data providers.
     *
     * @return FetchDataProvidersAnswer
     * @throws DubaFailure
     */
    public function fetchDataProviders(): array
    {
        return $this->call('GET', '/api/v2/internet/data/fetch-providers', 'billers');
    }

    /**
     * Lists the cable-TV providers.
     *
     * @return FetchCableProvidersAnswer
     * @throws DubaFailure
     */
    public function fetchCableProviders(): array
    {
        return $this->call('GET', '/api/v2/cable-tv/fetch-providers', 'billers');
    }

    /**
     * Lists the products of a cable-TV provider.
     *
     * @return FetchCablePlansAnswer
     * @throws DubaFailure
     */
    public function fetchCablePlans(string $type): array
    {
        return $this->call('GET', '/api/v2/cable-tv/fetch-billers', 'plans', ['type' => $type]);
    }

    /**
     * Verifies a customer's BVN and phone number and returns the identity record.
     *
     * @return VerifyBvnAnswer
     * @throws DubaFailure
     */
    public function verifyBvn(
        #[SensitiveParameter] string $bvn,
        #[SensitiveParameter] string $phone,
        #[SensitiveParameter] string $amount,
        #[SensitiveParameter] ?string $firstName = null,
        #[SensitiveParameter] ?string $lastName = null,
        #[SensitiveParameter] ?string $dateOfBirth = null,
        ?string $idempotencyKey = null,
        ?string $consentReference = null,
        ?string $traceparent = null,
    ): array {
        return $this->call(
            'POST',
            '/api/v2/kyc/verify-bvn',
            'data',
            ['bvn' => $bvn, 'phone' => $phone, 'amount' => $amount, 'first_name' => $firstName, 'last_name' => $lastName, 'date_of_birth' => $dateOfBirth],
            ['idempotency-key' => $idempotencyKey, 'consent-reference' => $consentReference, 'traceparent' => $traceparent],
            number: ['bvn', 'bvn_number'],
            stateByKey: '/api/v2/kyc/verifications',
        );
    }

    /**
     * Verifies a customer's NIN and phone number and returns the identity record that `verifyBvn` returns, with the NIN in `nin` and an empty `bvn_number`.
     *
     * @return VerifyNinAnswer
     * @throws DubaFailure
     */
    public function verifyNin(
        #[SensitiveParameter] string $nin,
        #[SensitiveParameter] string $phone,
        #[SensitiveParameter] string $amount,
        #[SensitiveParameter] ?string $firstName = null,
        #[SensitiveParameter] ?string $lastName = null,
        #[SensitiveParameter] ?string $dateOfBirth = null,
        ?string $idempotencyKey = null,
        ?string $consentReference = null,
        ?string $traceparent = null,
    ): array {
        return $this->call(
            'POST',
            '/api/v2/kyc/verify-nin',
            'data',
            ['nin' => $nin, 'phone' => $phone, 'amount' => $amount, 'first_name' => $firstName, 'last_name' => $lastName, 'date_of_birth' => $dateOfBirth],
            ['idempotency-key' => $idempotencyKey, 'consent-reference' => $consentReference, 'traceparent' => $traceparent],
            number: ['nin', 'nin'],
            stateByKey: '/api/v2/kyc/verifications',
        );
    }

    /**
     * Gives the `amount` that the BVN verification asks for, from the fee schedule of this service.
     *
     * @return LookupWaecAmountAnswer
     * @throws DubaFailure
     */
    public function lookupWaecAmount(): array
    {
        return $this->call('GET', '/api/v2/education/waec-lookup', 'data');
    }

    /**
     * Tells what became of a verification, by its `request_reference`.
     *
     * @return GetVerificationAnswer
     * @throws DubaFailure
     */
    public function getVerification(string $requestReference): array
    {
        return $this->call('GET', '/api/v2/kyc/verifications/{request_reference}', 'data', ['request_reference' => $requestReference]);
    }

    /**
     * Tells what became of a verification, by the idempotency key it was sent with: in the query string or in an `Idempotency-Key` header.
     *
     * @return FindVerificationAnswer
     * @throws DubaFailure
     */
    public function findVerification(?string $idempotencyKey = null): array
    {
        return $this->call('GET', '/api/v2/kyc/verifications', 'data', ['idempotency_key' => $idempotencyKey]);
    }

    /**
     * Says whether your account verified the person with this BVN or NIN in the last 24 months, in the mode of the key: when, under which reference, and until when its record is held.
     *
     * @since 0.2.0
     * @return FindKnownPersonAnswer
     * @throws DubaFailure
     */
    public function findKnownPerson(#[SensitiveParameter] ?string $bvn = null, #[SensitiveParameter] ?string $nin = null): array
    {
        return $this->call('POST', '/api/v2/kyc/known', 'data', ['bvn' => $bvn, 'nin' => $nin]);
    }

    /**
     * Gives what your account can still spend on verifications in `general_wallet.balance`: its prepaid balance, else what its monthly cap in naira leaves.
     *
     * @return FetchWalletBalanceAnswer
     * @throws DubaFailure
     */
    public function fetchWalletBalance(): array
    {
        return $this->call('GET', '/api/v2/wallet/balance', 'general_wallet');
    }

    /**
     * Gives a token that stands for the API key for 24 hours, and dies with the key.
     *
     * @return AuthorizeMerchantAnswer
     * @throws DubaFailure
     */
    public function authorizeMerchant(#[SensitiveParameter] ?string $email = null, #[SensitiveParameter] ?string $password = null): array
    {
        return $this->call('POST', '/api/v2/merchant/authorization', 'data', ['email' => $email, 'password' => $password]);
    }

    /**
     * Names the account and the key of the request, its mode and scopes, when the key expires and from where it may be used, how much of each rate limit is left, and what is left of a monthly cap or a prepaid balance.
     *
     * @return WhoAmIAnswer
     * @throws DubaFailure
     */
    public function whoAmI(): array
    {
        return $this->call('GET', '/api/v2/me', 'data');
    }

    /**
     * Lists what was added, modified and removed in the catalogue, so that a copy of it stays up to date without fetching every list again.
     *
     * @return ListCatalogueChangesAnswer
     * @throws DubaFailure
     */
    public function listCatalogueChanges(?string $after = null, ?string $limit = null): array
    {
        return $this->call('GET', '/api/v2/catalogue/changes', 'data', ['after' => $after, 'limit' => $limit]);
    }

    /**
     * Lists the events that webhooks deliver, with the same bodies, in the mode of your key.
     *
     * @return ListEventsAnswer
     * @throws DubaFailure
     */
    public function listEvents(?string $after = null, ?string $limit = null): array
    {
        return $this->call('GET', '/api/v2/events', 'data', ['after' => $after, 'limit' => $limit]);
    }

    /**
     * Makes an event of a type with invented data, for test keys only: `GET /api/v2/events` lists it, and endpoints of the account's test mode get it.
     *
     * @return TriggerEventAnswer
     * @throws DubaFailure
     */
    public function triggerEvent(#[SensitiveParameter] string $type): array
    {
        return $this->call('POST', '/api/v2/events/trigger', 'data', ['type' => $type]);
    }

    /**
     * Adds an endpoint that gets the events of your account, in the mode of your key, as signed webhooks.
     *
     * @since 0.2.0
     * @return AddEventEndpointAnswer
     * @throws DubaFailure
     */
    public function addEventEndpoint(#[SensitiveParameter] string $url, #[SensitiveParameter] ?string $types = null): array
    {
        return $this->call('POST', '/api/v2/events/endpoints', 'data', ['url' => $url, 'types' => $types]);
    }

    /**
     * Lists the endpoints of your account in the mode of your key, oldest first, without their secrets: who made each, whether it is on, and what became of the last delivery.
     *
     * @since 0.2.0
     * @return ListEventEndpointsAnswer
     * @throws DubaFailure
     */
    public function listEventEndpoints(): array
    {
        return $this->call('GET', '/api/v2/events/endpoints', 'data');
    }

    /**
     * Sends `endpoint.test` to an endpoint once, signed like all deliveries, and says what came back within 8 seconds.
     *
     * @since 0.2.0
     * @return TestEventEndpointAnswer
     * @throws DubaFailure
     */
    public function testEventEndpoint(#[SensitiveParameter] string $id): array
    {
        return $this->call('POST', '/api/v2/events/endpoints/{id}/test', 'data', ['id' => $id]);
    }

    /**
     * Lists what became of the events for an endpoint, oldest event first.
     *
     * @since 0.2.0
     * @return ListEventDeliveriesAnswer
     * @throws DubaFailure
     */
    public function listEventDeliveries(
        string $id,
        ?string $after = null,
        ?string $limit = null,
    ): array {
        return $this->call('GET', '/api/v2/events/endpoints/{id}/deliveries', 'data', ['id' => $id, 'after' => $after, 'limit' => $limit]);
    }

    /**
     * Sends all events that are dead for an endpoint again, or the one that you name, also if it was delivered.
     *
     * @since 0.2.0
     * @return ResendEventsAnswer
     * @throws DubaFailure
     */
    public function resendEvents(#[SensitiveParameter] string $id, #[SensitiveParameter] ?string $event = null): array
    {
        return $this->call('POST', '/api/v2/events/endpoints/{id}/resend', 'data', ['id' => $id, 'event' => $event]);
    }

    /**
     * Gives an endpoint a new secret, which is shown this once.
     *
     * @since 0.2.0
     * @return RollEventSecretAnswer
     * @throws DubaFailure
     */
    public function rollEventSecret(#[SensitiveParameter] string $id, #[SensitiveParameter] ?string $overlap = null): array
    {
        return $this->call('POST', '/api/v2/events/endpoints/{id}/secret', 'data', ['id' => $id, 'overlap' => $overlap]);
    }

    /**
     * Removes an endpoint of your account in the mode of your key, and all deliveries that wait for it.
     *
     * @since 0.2.0
     * @return RemoveEventEndpointAnswer
     * @throws DubaFailure
     */
    public function removeEventEndpoint(#[SensitiveParameter] string $id): array
    {
        return $this->call('DELETE', '/api/v2/events/endpoints/{id}', 'data', ['id' => $id]);
    }

    /**
     * Tells how a request was answered, by the `X-Request-Id` of its answer.
     *
     * @return GetRequestAnswer
     * @throws DubaFailure
     */
    public function getRequest(string $requestId): array
    {
        return $this->call('GET', '/api/v2/requests/{request_id}', 'data', ['request_id' => $requestId]);
    }

    /**
     * Lists how requests of your account were answered, in the mode of the key, oldest first.
     *
     * @return ListRequestsAnswer
     * @throws DubaFailure
     */
    public function listRequests(?string $after = null, ?string $limit = null): array
    {
        return $this->call('GET', '/api/v2/requests', 'data', ['after' => $after, 'limit' => $limit]);
    }
    // <!-- /operations -->

    /**
     * A look-up by its path, as in the client of 0.1.0. The methods have names and types.
     *
     * @param array<string, string> $query
     * @return array<string, mixed>
     */
    public function get(string $path, array $query = []): array
    {
        return $this->call('GET', $path, '', $query);
    }

    /**
     * Verifies a person by `bvn` or `nin`, as in the client of 0.1.0. The methods have names and types.
     *
     * @param array<string, string> $input
     * @return array<string, mixed>
     */
    public function verify(string $kind, #[SensitiveParameter] array $input, ?string $idempotencyKey = null): array
    {
        $named = [];
        foreach ($input as $name => $value) {
            $named[lcfirst(str_replace('_', '', ucwords($name, '_')))] = $value;
        }
        return $this->{'verify' . ucfirst($kind)}(...$named, idempotencyKey: $idempotencyKey);
    }

    /**
     * @param string $payload member of the answer with the requested data; empty if the client does not know it
     * @param array<string, ?string> $given
     * @param array<string, ?string> $options headers, in lower case
     * @param array{string, string}|null $number members of the input and of the payload that hold the number of a person
     * @param ?string $stateByKey set if a retry needs an idempotency key: the path that returns the state of a request by its key
     */
    private function call(
        string $method,
        string $path,
        string $payload,
        #[SensitiveParameter] array $given = [],
        array $options = [],
        ?array $number = null,
        ?string $stateByKey = null,
    ): array {
        $given = array_filter($given, fn ($value) => $value !== null);
        $headers = $this->headers;
        foreach (array_filter($options, fn ($value) => $value !== null) as $name => $value) {
            $headers[$name] = self::header($name, $value);
        }
        $path = preg_replace_callback('/\{(\w+)\}/', function (array $place) use (&$given) {
            $value = $given[$place[1]] ?? '';
            unset($given[$place[1]]);
            return rawurlencode($value);
        }, $path);
        $timeout = $stateByKey === null ? min($this->timeout, 10) : $this->timeout;
        $body = null;
        if (in_array($method, ['GET', 'DELETE'], true)) {
            $path .= $given === [] ? '' : '?' . http_build_query($given);
        } else {
            $headers['content-type'] = 'application/json';
            $body = json_encode((object) $given, JSON_THROW_ON_ERROR | JSON_INVALID_UTF8_SUBSTITUTE);
        }
        $isWhole = fn (array $answer) => $payload === '' || is_array($answer[$payload] ?? null);
        if ($number !== null) {
            $asked = str_replace(' ', '', $given[$number[0]]);
            // An account with masked answers gets only the last digits.
            $numbers = [$asked, '*******' . substr($asked, -4)];
            $isWhole = fn (array $answer) => in_array($answer[$payload][$number[1]] ?? null, $numbers, true);
        }
        if ($stateByKey === null) {
            return $this->repeated($method, fn () => $this->send($method, $path, $headers, $body, $timeout, $isWhole));
        }
        $key = $headers['idempotency-key'] ??= bin2hex(random_bytes(16));
        $isState = fn (array $answer) => is_array($answer['data'] ?? null);
        try {
            return $this->verified(
                fn () => $this->send($method, $path, $headers, $body, $timeout, $isWhole),
                fn () => $this->send('GET', $stateByKey, $headers, null, $timeout, $isState),
            ) + ['idempotency_key' => $key];
        } catch (DubaFailure $failure) {
            throw $failure->with($key);
        }
    }

    /** Sends a request, and repeats it while its failure is retryable. */
    private function repeated(string $method, callable $send): array
    {
        for ($tries = 0; ; $tries++) {
            try {
                return $send();
            } catch (DubaFailure $failure) {
                // After a lost answer to a change without a key, the client cannot know whether the change was made.
                if ($method !== 'GET' && $failure->isLost()) {
                    throw $failure;
                }
                $this->wait($failure, $tries);
            }
        }
    }

    /**
     * Sends a verification. After a lost answer the client first asks for the state of the key's verification, until that has ended. Only then does
     * it send the identical request again: the service repeats the answer, or resumes the verification.
     */
    private function verified(callable $send, callable $askState): array
    {
        $deadline = hrtime(true) + $this->timeout * 1e9;
        for ($tries = 0; ; $tries++) {
            try {
                return $send();
            } catch (DubaFailure $failure) {
                $this->wait($failure, $tries);
                // A running verification does not count as a failed try.
                while ($failure->isLost() && self::runs($askState) && hrtime(true) < $deadline) {
                    sleep(1);
                }
            }
        }
    }

    private static function runs(callable $askState): bool
    {
        try {
            return ($askState()['data']['state'] ?? null) === 'started';
        } catch (DubaFailure) {
            return false;
        }
    }

    /** Waits before the next try; throws the failure if there is none. */
    private function wait(DubaFailure $failure, int $tries): void
    {
        if (!$failure->retryable || $tries >= $this->retries || $failure->retryAfter > self::LONGEST_WAIT) {
            throw $failure;
        }
        $most = (int) min(250 * 2 ** $tries, self::LONGEST_WAIT * 1000);
        $milliseconds = random_int($failure->retryAfter > 0 ? 0 : intdiv($most, 2), $most);
        usleep($failure->retryAfter * 1_000_000 + $milliseconds * 1000);
    }

    /**
     * Sends a request once.
     *
     * @param array<string, string> $headers
     */
    private function send(
        string $method,
        string $path,
        #[SensitiveParameter] array $headers,
        #[SensitiveParameter] ?string $body,
        float $timeout,
        callable $isWhole,
    ): array {
        $url = $this->host . preg_replace('~^/api/v2~', $this->prefix, $path);
        $lines = array_map(fn (string $name, string $value) => "$name: $value", array_keys($headers), $headers);
        $http = [
            ...['method' => $method, 'header' => [...$lines, 'connection: close'], 'timeout' => $timeout],
            ...['protocol_version' => 1.1, 'follow_location' => 0, 'ignore_errors' => true],
            ...($body === null ? [] : ['content' => $body]),
        ];
        $deadline = hrtime(true) + $timeout * 1e9;
        // PHP warns of what goes wrong, and frameworks make exceptions of warnings.
        set_error_handler(static fn () => true);
        try {
            $stream = fopen($url, 'rb', false, stream_context_create(['http' => $http]));
            [$status, $answered, $text] = $stream === false ? [0, [], ''] : self::read($stream, $deadline);
        } finally {
            restore_error_handler();
        }
        if ($status === 0) {
            throw new DubaFailure('no_answer', 'The connection failed, or the time ran out.', true);
        }
        return self::answerOf($status, $answered, $text, $isWhole);
    }

    /**
     * Status, headers and body of an answer; the status 0 if it did not come in time.
     *
     * @param resource $stream
     * @return array{int, array<string, string>, string}
     */
    private static function read($stream, float $deadline): array
    {
        $status = 0;
        $headers = [];
        $text = '';
        foreach (stream_get_meta_data($stream)['wrapper_data'] ?? [] as $line) {
            if (preg_match('~^HTTP/\S+ (\d{3})~', $line, $parts)) {
                $status = (int) $parts[1];
                $headers = [];
            } elseif (str_contains($line, ':')) {
                [$name, $value] = explode(':', $line, 2);
                $headers[strtolower($name)] = trim($value);
            }
        }
        // PHP reads until the connection ends, also from a server that leaves it open.
        $length = isset($headers['transfer-encoding']) ? PHP_INT_MAX : (int) ($headers['content-length'] ?? PHP_INT_MAX);
        while (strlen($text) < $length && !feof($stream)) {
            $part = fread($stream, 65536);
            $isLate = stream_get_meta_data($stream)['timed_out'] || hrtime(true) > $deadline;
            if ($part === false || $isLate) {
                return [0, [], ''];
            }
            $text .= $part;
        }
        fclose($stream);
        return [$status, $headers, $text];
    }

    /**
     * Reads an answer. What is no failure of Duba, and no success that `$isWhole` accepts, becomes `unexpected_answer`.
     *
     * @param array<string, string> $headers
     */
    private static function answerOf(int $status, array $headers, string $text, callable $isWhole): array
    {
        $answer = json_decode($text, true);
        $answer = is_array($answer) ? $answer : [];
        if ($status === 200 && ($answer['success'] ?? null) === true && $isWhole($answer)) {
            $match = $headers['duba-match'] ?? '';
            return $match === '' ? $answer : $answer + ['match' => $match];
        }
        $facts = ['http_status' => $status];
        if (preg_match('/^\d{1,9}$/D', $headers['retry-after'] ?? '')) {
            $facts['retry_after'] = (int) $headers['retry-after'];
        }
        $error = is_array($answer['error'] ?? null) ? $answer['error'] : [];
        $isDuba = is_bool($error['retryable'] ?? null) && is_string($error['code'] ?? null) && is_string($answer['message'] ?? null);
        if (($answer['success'] ?? null) === false && $isDuba) {
            unset($error['retry_after']);
            throw new DubaFailure($error['code'], $answer['message'], $error['retryable'], [...$error, ...$facts]);
        }
        // Gateways have failures of their own.
        $mayHelp = in_array($status, [200, 408, 429], true) || $status >= 500;
        $facts['request_id'] = $headers['x-request-id'] ?? '';
        $about = "The answer (HTTP $status) is not one of Duba. Check url, and what stands between.";
        throw new DubaFailure('unexpected_answer', $about, $mayHelp, $facts);
    }

    /** Refuses what a header cannot hold, without repeating it. */
    private static function header(string $name, string $value): string
    {
        if (!preg_match('/^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/D', $value)) {
            throw new InvalidArgumentException("$name must be text of visible ASCII characters.");
        }
        return $value;
    }
}
