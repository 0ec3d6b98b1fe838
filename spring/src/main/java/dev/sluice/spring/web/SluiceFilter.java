package dev.sluice.spring.web;

import dev.sluice.rules.Request;
import dev.sluice.rules.Verdict;
import dev.sluice.spring.RateLimitObservations;
import dev.sluice.spring.RuleRegistry;
import dev.sluice.spring.WebRules;
import io.micrometer.observation.ObservationRegistry;
import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.springframework.web.filter.OncePerRequestFilter;

/**
 * Asks the rules about every request, before anything else does its work: over the limit it is answered with 429.
 *
 * <p>A request that waits for its turn holds its thread, as servlets do; with virtual threads that costs little.
 */
final class SluiceFilter extends OncePerRequestFilter {
    private final RuleRegistry registry;
    private final ExcludedPaths excluded;
    private final WebRules.Phase phase;
    private final ObservationRegistry observations;

    SluiceFilter(
            RuleRegistry registry, ExcludedPaths excluded, WebRules.Phase phase, ObservationRegistry observations) {
        this.registry = registry;
        this.excluded = excluded;
        this.phase = phase;
        this.observations = observations;
    }

    /** The two phases are two filters, each once for a request. */
    @Override
    protected String getAlreadyFilteredAttributeName() {
        return SluiceFilter.class.getName() + "." + phase;
    }

    @Override
    protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws ServletException, IOException {
        WebRules rules = registry.web();
        if (rules.isEmpty() || (phase == WebRules.Phase.WITH_USER && !rules.asksUser())) {
            chain.doFilter(request, response);
            return;
        }
        Request asked = new ServletAttributes(request).request(rules).build();
        if (excluded.contains(asked)) {
            chain.doFilter(request, response);
            return;
        }
        Verdict verdict = decided(registry.engine().check(asked, rules.in(phase)));
        RateLimitObservations.note(verdict, observations);
        Verdict earlier = (Verdict) request.getAttribute(RateLimitAttributes.VERDICT);
        Verdict all = earlier == null ? verdict : RateLimitAttributes.both(earlier, verdict);
        request.setAttribute(RateLimitAttributes.VERDICT, all);
        QuotaExceededResponse.headers(all, response::setHeader);
        if (verdict.allowed()) {
            goOn(rules, verdict, request, response, chain);
            return;
        }
        registry.engine().release(verdict);
        if (earlier != null) {
            registry.engine().refund(earlier);
            request.setAttribute(RateLimitAttributes.REFUNDED, true);
        }
        response.setStatus(QuotaExceededResponse.STATUS);
        response.setContentType(QuotaExceededResponse.TYPE);
        byte[] body = QuotaExceededResponse.body(all).getBytes(StandardCharsets.UTF_8);
        response.setContentLength(body.length);
        response.getOutputStream().write(body);
    }

    private Verdict decided(CompletableFuture<Verdict> asked) throws IOException {
        try {
            Verdict verdict = asked.get();
            if (verdict.delayMicros() > 0) {
                TimeUnit.MICROSECONDS.sleep(verdict.delayMicros());
            }
            return verdict;
        } catch (InterruptedException e) {
            if (!asked.cancel(false)) {
                asked.thenAccept(registry.engine()::refund);
            }
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while a request waited for its turn", e);
        } catch (ExecutionException e) {
            throw new IllegalStateException("asking the rules failed", e.getCause());
        }
    }

    private void goOn(
            WebRules rules,
            Verdict verdict,
            HttpServletRequest request,
            HttpServletResponse response,
            FilterChain chain)
            throws ServletException, IOException {
        RequestCharge settlement =
                new RequestCharge(rules, verdict, () -> request.getAttribute(RateLimitAttributes.REFUNDED) != null);
        SettlingResponseWrapper judged =
                settlement.asksStatus() ? new SettlingResponseWrapper(response, settlement) : null;
        boolean failed = true;
        try {
            chain.doFilter(request, judged == null ? response : judged);
            if (judged != null) {
                judged.finish();
            }
            failed = false;
        } finally {
            if (!failed && request.isAsyncStarted()) {
                request.getAsyncContext().addListener(new Settling(() -> settlement.end(response.getStatus())));
            } else {
                settlement.end(failed ? 500 : response.getStatus());
            }
        }
    }

    /** Runs something once the response is complete, whatever became of it. */
    private record Settling(Runnable task) implements AsyncListener {
        @Override
        public void onComplete(AsyncEvent event) {
            task.run();
        }

        @Override
        public void onTimeout(AsyncEvent event) {}

        @Override
        public void onError(AsyncEvent event) {}

        /** A request that is started anew forgets its listeners. */
        @Override
        public void onStartAsync(AsyncEvent event) {
            event.getAsyncContext().addListener(this);
        }
    }
}
