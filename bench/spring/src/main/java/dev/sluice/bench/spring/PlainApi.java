package dev.sluice.bench.spring;

import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** Not limited, unless by a filter. */
@RestController
class PlainApi implements Api {
    @Override
    @GetMapping({"/plain", Row.FILTERED})
    public String hello() {
        return ANSWER;
    }
}
