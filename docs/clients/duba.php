<?php

declare(strict_types=1);

// A client for Duba on Guzzle 7. Copy this file into your project, and change it as you like.

use GuzzleHttp\Client;
use GuzzleHttp\Exception\GuzzleException;

/** A failure of the service, or no answer at all. Switch on `errorCode`. */
final class DubaFailure extends RuntimeException
{
    /** @param array<string, mixed> $error the member `error` of the answer; empty without one */
    public function __construct(
        public readonly string $errorCode,
        string $message,
        public readonly bool $retryable,
        /** Whole seconds that the service asks you to wait. */
        public readonly int $retryAfter = 0,
        public readonly array $error = [],
        /** Call `verify` again with it: you are charged once at most. */
        public ?string $idempotencyKey = null,
    ) {
        parent::__construct($message);
    }
}

final class Duba
{
    private const LONGEST_WAIT = 10;
    /** The member of a record that holds the number. */
    private const NUMBERS = ['bvn' => 'bvn_number', 'nin' => 'nin'];

    private Client $http;

    /** @param float $timeout the most seconds that one request of a verification takes */
    public function __construct(
        string $url,
        string $key,
        private readonly int $retries = 3,
        private readonly float $timeout = 30,
    ) {
        $this->http = new Client([
            'base_uri' => $url,
            'headers' => ['Authorization' => "Bearer $key", 'Accept' => 'application/json'],
            'http_errors' => false,
            'allow_redirects' => false,
            'connect_timeout' => 5,
        ]);
    }

    /** A look-up, such as `get('/api/v2/internet/data/lookup', ['provider' => 'MTNDATA'])`. Throws DubaFailure. */
    public function get(string $path, array $query = []): array
    {
        return $this->repeat(fn () => $this->send('GET', $path, ['query' => $query, 'timeout' => 10]));
    }

    /**
     * Verifies a person by `bvn` or `nin`. The answer has its `idempotency_key`, and with names or a birth date their `match`. Store a key of
     * yours before you call, if you want to go on after a crash. Throws DubaFailure.
     *
     * @param array<string, string> $input the number, phone and amount
     */
    public function verify(string $kind, array $input, ?string $idempotencyKey = null): array
    {
        $idempotencyKey ??= bin2hex(random_bytes(16));
        $number = str_replace(' ', '', (string) ($input[$kind] ?? ''));
        // An account with masked answers is told the last digits.
        $numbers = [$number, '*******' . substr($number, -4)];
        $isAsked = fn (array $answer) => in_array($answer['data'][self::NUMBERS[$kind]] ?? null, $numbers, true);
        try {
            // Each retry has the same key, so that it repeats or resumes the one verification.
            $answer = $this->repeat(fn () => $this->send('POST', "/api/v2/kyc/verify-$kind", [
                'json' => $input,
                'headers' => ['Idempotency-Key' => $idempotencyKey],
                'timeout' => $this->timeout,
            ], $isAsked));
        } catch (DubaFailure $failure) {
            $failure->idempotencyKey = $idempotencyKey;
            throw $failure;
        }
        return $answer + ['idempotency_key' => $idempotencyKey];
    }

    private function repeat(callable $send): array
    {
        for ($tries = 0; ; $tries++) {
            try {
                return $send();
            } catch (DubaFailure $failure) {
                if (!$failure->retryable || $tries >= $this->retries || $failure->retryAfter > self::LONGEST_WAIT) {
                    throw $failure;
                }
                $milliseconds = 250 * 2 ** $tries;
                usleep($failure->retryAfter * 1_000_000 + random_int(intdiv($milliseconds, 2), $milliseconds) * 1000);
            }
        }
    }

    private function send(string $method, string $path, array $options, ?callable $isAsked = null): array
    {
        try {
            $response = $this->http->request($method, $path, $options);
            $answer = json_decode((string) $response->getBody(), true);
        } catch (GuzzleException) {
            throw new DubaFailure('no_answer', 'The connection failed, or the time ran out.', true);
        }
        $status = $response->getStatusCode();
        $answer = is_array($answer) ? $answer : [];
        $success = $answer['success'] ?? null;
        if ($status === 200 && $success === true && ($isAsked === null || $isAsked($answer))) {
            $match = $response->getHeaderLine('Duba-Match');
            return $match === '' ? $answer : $answer + ['match' => $match];
        }
        $wait = $response->getHeaderLine('Retry-After');
        $wait = preg_match('/^\d{1,9}$/', $wait) ? (int) $wait : 0;
        $error = is_array($answer['error'] ?? null) ? $answer['error'] : [];
        $isDuba = is_bool($error['retryable'] ?? null) && is_string($error['code'] ?? null) && is_string($answer['message'] ?? null);
        // Gateways have failures of their own.
        if ($success !== false || !$isDuba) {
            $mayHelp = in_array($status, [200, 408, 429], true) || $status >= 500;
            throw new DubaFailure('unexpected_answer', "The answer (HTTP $status) is not one of Duba.", $mayHelp, $wait);
        }
        throw new DubaFailure($error['code'], $answer['message'], $error['retryable'], $wait, $error);
    }
}
