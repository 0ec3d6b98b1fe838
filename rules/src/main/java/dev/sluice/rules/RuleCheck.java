package dev.sluice.rules;

/**
 * One rule asked by its name, whatever its conditions.
 *
 * @param rule the name of the rule
 * @param request what it makes its key of, and the permits
 */
public record RuleCheck(String rule, Request request) {}
