package dev.sluice.spring.test;

import org.springframework.test.context.TestContext;
import org.springframework.test.context.TestContextAnnotationUtils;
import org.springframework.test.context.support.AbstractTestExecutionListener;

/** Resets counters and clock before each test method of a class with {@link AutoConfigureSluice}. */
final class ResetTestExecutionListener extends AbstractTestExecutionListener {
    /** After the application context has been made and injected, and before listeners that may call the application. */
    private static final int ORDER = 2500;

    @Override
    public int getOrder() {
        return ORDER;
    }

    @Override
    public void beforeTestMethod(TestContext test) {
        AutoConfigureSluice configured =
                TestContextAnnotationUtils.findMergedAnnotation(test.getTestClass(), AutoConfigureSluice.class);
        if (configured != null && configured.reset()) {
            test.getApplicationContext()
                    .getBeanProvider(TestCounters.Reset.class)
                    .ifAvailable(TestCounters.Reset::run);
        }
    }
}
