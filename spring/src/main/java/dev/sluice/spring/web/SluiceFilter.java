package dev.sluice.spring.web;

import dev.sluice.rules.Request;
import dev.sluice.rules.Verdict;
import dev.sluice.spring.BlockingVerdicts;
import dev.sluice.spring.RateLimitObservations;
import dev.sluice.spring.WebRules;
import io.micrometer.observation.ObservationRegistry;
import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.concurrent.CompletableFuture;
import org.springframework.web.cors.CorsUtils;
import org.springframework.web.filter.OncePerRequestFilter;

/**
 * Checks every servlet request against the rules, and answers 429 to those over a limit.
 *
 * <p>A request that waits for permits holds its thread, which costs little on virtual threads.
 */
final class SluiceFilter extends OncePerRequestFilter {
    private final WebRateLimiter limiter;
    private final ServletCors cors;
    private final ObservationRegistry observations;
    private final ServletRefusals refusals;

    SluiceFilter(WebRateLimiter limiter, ServletCors cors, ObservationRegistry observations, ServletRefusals refusals) {
        this.limiter = limiter;
        this.refusals = refusals;
        this.cors = cors;
        this.observations = observations;
    }

    /** The response to an asynchronous request leaves after its second dispatch. */
    @Override
    protected boolean shouldNotFilterAsyncDispatch() {
        return false;
    }

    /** Each phase has a filter of its own, which runs once for a request. */
    @Override
    protected String getAlreadyFilteredAttributeName() {
        return SluiceFilter.class.getName() + "." + limiter.phase();
    }

    @Override
    protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws ServletException, IOException {
        if (isAsyncDispatch(request)) {
            proceedAsync(request, response, chain);
            return;
        }
        WebRequestAdapter adapter = new ServletRequestAdapter(request);
        WebRules rules = limiter.rules();
        Request checked =
                rules == null || CorsUtils.isPreFlightRequest(request) ? null : limiter.request(rules, adapter);
        if (rules == null || checked == null) {
            chain.doFilter(request, response);
            return;
        }
        Verdict verdict = await(limiter.check(rules, checked), request);
        RateLimitObservations.note(verdict, observations);
        RequestCharge charge = limiter.publish(rules, checked, verdict, adapter, response::setHeader);
        if (charge != null) {
            proceed(charge, request, response, chain);
        } else if (cors.apply(request, response)) {
            refusals.refuse(verdict, request, response);
        }
    }

    private Verdict await(CompletableFuture<Verdict> pending, HttpServletRequest request) throws IOException {
        try {
            return BlockingVerdicts.await(limiter.engine(), pending, request.getRequestURI());
        } catch (InterruptedException e) {
            throw new InterruptedIOException("interrupted while a request waited for permits");
        }
    }

    private void proceed(
            RequestCharge charge, HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws ServletException, IOException {
        SettlingResponseWrapper settling = charge.needsStatus() ? new SettlingResponseWrapper(response, charge) : null;
        if (settling != null) {
            request.setAttribute(settlingAttribute(), settling);
        }
        boolean failed = true;
        try {
            chain.doFilter(request, settling == null ? response : settling);
            if (settling != null && !request.isAsyncStarted()) {
                settling.end();
            }
            failed = false;
        } finally {
            if (!failed && request.isAsyncStarted() && !AsyncFailure.isIn(request)) {
                request.getAsyncContext().addListener(new OnComplete(() -> charge.complete(response.getStatus())));
            } else {
                charge.complete(failed ? 500 : response.getStatus()).join();
            }
        }
    }

    /** The second part of an asynchronous request, after which its response leaves. */
    private void proceedAsync(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws ServletException, IOException {
        chain.doFilter(request, response);
        if (request.getAttribute(settlingAttribute()) instanceof SettlingResponseWrapper settling
                && !request.isAsyncStarted()) {
            settling.end();
        }
    }

    private String settlingAttribute() {
        return SettlingResponseWrapper.class.getName() + "." + limiter.phase();
    }

    /** Runs a task once an asynchronous response is complete, whether it succeeded or failed. */
    private record OnComplete(Runnable task) implements AsyncListener {
        @Override
        public void onComplete(AsyncEvent event) {
            task.run();
        }

        @Override
        public void onTimeout(AsyncEvent event) {}

        @Override
        public void onError(AsyncEvent event) {}

        /** Starting the request again drops its listeners. */
        @Override
        public void onStartAsync(AsyncEvent event) {
            event.getAsyncContext().addListener(this);
        }
    }
}
