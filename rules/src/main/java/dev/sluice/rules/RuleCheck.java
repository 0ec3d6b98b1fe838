package dev.sluice.rules;

/**
 * A check of one rule by its name, whatever its conditions.
 *
 * @param rule the name of the rule
 * @param request the attributes that its key is made of, and the cost
 */
public record RuleCheck(String rule, Request request) {}
