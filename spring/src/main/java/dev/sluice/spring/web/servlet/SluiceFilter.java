package dev.sluice.spring.web.servlet;

import dev.sluice.rules.Request;
import dev.sluice.rules.Verdict;
import dev.sluice.spring.BlockingVerdicts;
import dev.sluice.spring.RateLimitObservations;
import dev.sluice.spring.WebRules;
import dev.sluice.spring.web.CallObservations;
import dev.sluice.spring.web.RequestCharge;
import dev.sluice.spring.web.WebRateLimiter;
import dev.sluice.spring.web.WebRequestAdapter;
import io.micrometer.observation.ObservationRegistry;
import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;
import jakarta.servlet.FilterChain;
import jakarta.servlet.RequestDispatcher;
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
 * <p>A request that waits for permits holds its thread, which costs little on virtual threads. To go on by an asynchronous
 * dispatch would not be safe: filters behind this one that are not for such dispatches would be left out. Spring Security's
 * check of CSRF tokens is one of them.
 */
final class SluiceFilter extends OncePerRequestFilter {
    private final WebRateLimiter limiter;
    private final ServletCors cors;
    private final ObservationRegistry observations;
    private final ServletRefusals refusals;
    private final String filteredAttribute;
    private final String settlingAttribute;

    SluiceFilter(WebRateLimiter limiter, ServletCors cors, ObservationRegistry observations, ServletRefusals refusals) {
        this.limiter = limiter;
        this.refusals = refusals;
        this.cors = cors;
        this.observations = observations;
        this.filteredAttribute = SluiceFilter.class.getName() + "." + limiter.phase();
        this.settlingAttribute = SettlingResponseWrapper.class.getName() + "." + limiter.phase();
    }

    /** The response to an asynchronous request leaves after its second dispatch. */
    @Override
    protected boolean shouldNotFilterAsyncDispatch() {
        return false;
    }

    /** The status of a request that failed is that of its error page. */
    @Override
    protected boolean shouldNotFilterErrorDispatch() {
        return false;
    }

    /** Each phase has a filter of its own, which runs once for a request. */
    @Override
    protected String getAlreadyFilteredAttributeName() {
        return filteredAttribute;
    }

    @Override
    protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws ServletException, IOException {
        if (isAsyncDispatch(request) || isErrorDispatch(request)) {
            proceedAgain(request, response, chain);
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
        if (RateLimitObservations.isDue(verdict)) {
            CallObservations.of(observations.getCurrentObservation(), adapter).note(verdict);
        }
        RequestCharge charge = limiter.publish(rules, checked, verdict, adapter, response::setHeader);
        if (charge != null) {
            proceed(charge, request, response, chain);
        } else if (verdict.allowed()) {
            chain.doFilter(request, response);
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
        boolean errorPage = isErrorDispatch(request); // Jetty has its attributes ahead of the dispatch
        boolean failed = true;
        try {
            if (settling == null) {
                chain.doFilter(request, response);
            } else {
                request.setAttribute(settlingAttribute, settling);
                chain.doFilter(new SettlingRequestWrapper(request, settling), settling);
            }
            failed = false;
        } finally {
            int status = failed && !errorPage ? 500 : response.getStatus(); // that of a page that failed stays
            if (failed || !awaitAsync(charge, request, response)) {
                if (settling != null && !errorPage && (failed || settling.isError())) {
                    awaitErrorPage(charge, status, request, response);
                } else {
                    complete(charge, status);
                }
            }
        }
    }

    /** Completes a charge with the asynchronous part of its request. Returns false if there is none. */
    private static boolean awaitAsync(RequestCharge charge, HttpServletRequest request, HttpServletResponse response) {
        if (!request.isAsyncStarted() || AsyncFailure.isIn(request)) {
            return false;
        }
        try {
            request.getAsyncContext().addListener(new AsyncEnd(charge, response));
            AsyncFailure.whenBrokenOff(request, () -> brokenOff(charge));
            return true;
        } catch (IllegalStateException over) {
            return false; // on Undertow it may have ended meanwhile
        }
    }

    private static void brokenOff(RequestCharge charge) {
        if (charge.needsStatus()) {
            charge.fail(); // settled when the response began to leave, unless it only has been left to an error page
        } else {
            complete(charge, 500);
        }
    }

    /** Completes a charge with the error page of its request, which may have another status. */
    private static void awaitErrorPage(
            RequestCharge charge, int status, HttpServletRequest request, HttpServletResponse response) {
        if (!RequestEnd.await(request, response::getStatus, charge::complete)) {
            complete(charge, status);
        }
    }

    /** Waits for the store, since the response may leave as soon as this returns. */
    private static void complete(RequestCharge charge, int status) {
        charge.complete(status).join();
    }

    private static boolean isErrorDispatch(HttpServletRequest request) {
        return request.getAttribute(RequestDispatcher.ERROR_REQUEST_URI) != null;
    }

    /** A further part of a request that was checked: its error page, or what comes after it was handled elsewhere. */
    private void proceedAgain(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws ServletException, IOException {
        SettlingResponseWrapper settling = (SettlingResponseWrapper) request.getAttribute(settlingAttribute);
        if (settling != null && isErrorDispatch(request)) {
            proceed(settling.charge(), request, response, chain);
            return;
        }
        if (settling == null) {
            chain.doFilter(request, response);
        } else if (settling.isWithin(response)) {
            proceedAgain(settling, request, response, chain);
        } else { // an asynchronous part that was started without a response goes on with the container's
            SettlingResponseWrapper again = new SettlingResponseWrapper(response, settling.charge());
            request.setAttribute(settlingAttribute, again);
            proceedAgain(again, new SettlingRequestWrapper(request, again), again, chain);
        }
    }

    private static void proceedAgain(
            SettlingResponseWrapper settling,
            HttpServletRequest request,
            HttpServletResponse response,
            FilterChain chain)
            throws ServletException, IOException {
        chain.doFilter(request, response);
        if (!request.isAsyncStarted()) {
            settling.settle();
        }
    }

    /** Completes a charge once an asynchronous response is complete, whether it succeeded or failed. */
    private record AsyncEnd(RequestCharge charge, HttpServletResponse response) implements AsyncListener {
        @Override
        public void onComplete(AsyncEvent event) {
            complete(charge, response.getStatus());
        }

        @Override
        public void onTimeout(AsyncEvent event) {}

        /** When a client of HTTP/2 is gone, Jetty tells of that, and never of the end. */
        @Override
        public void onError(AsyncEvent event) {
            charge.fail();
        }

        /** Starting the request again drops its listeners. */
        @Override
        public void onStartAsync(AsyncEvent event) {
            event.getAsyncContext().addListener(this);
        }
    }
}
